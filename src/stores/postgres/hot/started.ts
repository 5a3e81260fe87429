import { bodyAt } from '../../operations/items/contents.ts'
import { openColumns, openIn, type OpenRow } from '../../operations/items/customers.ts'
import { one, sql, type Steps } from '../../operations/steps.ts'
import { BODY_COLUMNS, ITEM_COLUMNS, type ItemRow, started } from '../../operations/turns/item-turns.ts'
import type { OpenConversation, StartedItem } from '../../port/index.ts'
import { ODD } from './hot.ts'
import { listsOf, nullable, type RowOf, rowsOf } from './rows.ts'
import type { HotTx } from '../transaction.ts'

/** An item that a statement has begun, which saw it as it was before. */
export interface BegunItemRow extends ItemRow {
  /** Its body does not stand beside its facts, or its lane is not its customer's: what is here of these is not the item's. */
  readonly apart: boolean | null
}

/** The columns that an item has for itself if it is `apart`. */
type Apart = Pick<ItemRow, 'id' | 'body' | 'long_body' | 'last_at' | 'handled_at' | 'sent_at'>

/**
 * An item with all that its attempt needs, in the lane of the row `e`, which has the lane's columns. The lane is that of
 * the item's customer as a rule, and the body stands beside the facts: so neither is looked up here.
 */
export function itemInLane(condition: string): string {
  return `
  SELECT ${ITEM_COLUMNS.text},
    i.facts_place IS DISTINCT FROM d.body_place OR (e.lane <> i.number || '/' || i.customer) IS TRUE AS apart
  FROM items i
  JOIN deliveries d ON d.seq = i.seq
  LEFT JOIN contents c ON c.place = i.facts_place
  CROSS JOIN LATERAL (SELECT c.facts) f
  CROSS JOIN LATERAL (SELECT e.last_at, e.handled_at, e.sent_at) w
  LEFT JOIN mutes m ON m.number = i.number AND m.customer = i.customer
  LEFT JOIN conversations v ON v.number = i.number AND v.customer = i.customer AND v.state = 'open'
  WHERE ${condition} LIMIT 1`
}

const APART = `
SELECT i.id, w.last_at, w.handled_at, w.sent_at, ${BODY_COLUMNS}
FROM unnest($1::bigint[]) AS given(id)
  CROSS JOIN LATERAL (SELECT id, seq, number, customer FROM items WHERE items.id = given.id LIMIT 1) i
  CROSS JOIN LATERAL (SELECT body_place FROM deliveries WHERE seq = i.seq LIMIT 1) d
  LEFT JOIN LATERAL (SELECT place, body FROM contents WHERE place = d.body_place LIMIT 1) c ON true
  LEFT JOIN LATERAL (
    SELECT last_at, handled_at, sent_at FROM lanes WHERE key = i.number || '/' || i.customer LIMIT 1) w ON true`

export async function startedFrom(tx: HotTx, rows: readonly BegunItemRow[]): Promise<readonly StartedItem[]> {
  const ids = rows.flatMap(({ id, apart }) => (apart ? [id] : []))
  const apart = new Map((ids.length > 0 ? await tx.rows<Apart>(APART, [ids]) : []).map((row) => [row.id, row]))
  const begun: StartedItem[] = []
  for (const each of rows) {
    const row = { ...each, ...apart.get(each.id) }
    const body = row.long_body === null ? row.body : await tx.drive(bodyAt(tx, row.long_body))
    begun.push(started(row, body as Uint8Array, false, undefined))
  }
  return begun
}

const TALKERS = { number: 'text', customer: nullable('text') } as const

/**
 * Conversations that are open with the customers of items that have begun. It is a statement of its own: the one that took
 * the lanes may have waited for whoever had them, and does not see what that one has written.
 */
export async function openWith<Item extends RowOf<typeof TALKERS>>(
  tx: HotTx,
  begun: readonly Item[],
): Promise<ReadonlyMap<Item, OpenConversation | undefined>> {
  if (begun.length === 0) return new Map()
  const rows = await tx.rows<OpenRow & { n: number }>(
    OPEN,
    listsOf(
      TALKERS,
      begun.map(({ number, customer }) => ({ number, customer })),
    ),
  )
  return new Map(rows.map((row) => [begun[row.n - 1] as Item, openIn(row)]))
}

const OPEN = `
SELECT g.n, ${openColumns('v').text} FROM ${rowsOf(TALKERS)} CROSS JOIN LATERAL (
  SELECT * FROM conversations c WHERE c.number = g.number AND c.customer = g.customer AND c.state = 'open' LIMIT 1) v`

/**
 * Writes conversations beside others if there are any. The first one of all is opened alone: so whoever takes a lane beside
 * others, and sees no conversation at all, has overlooked none.
 */
export function* unlessFirst<T>(steps: Steps<T>): Steps<T | typeof ODD> {
  if ((yield* one(sql`SELECT 1 FROM conversations LIMIT 1`)) === undefined) return ODD
  return yield* steps
}
