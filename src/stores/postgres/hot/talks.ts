import { openColumns, openIn, type OpenRow } from '../../operations/items/customers.ts'
import { one, sql, type Steps } from '../../operations/steps.ts'
import type { OpenConversation } from '../../port/index.ts'
import type { HotTx } from '../transaction.ts'
import { ODD } from './hot.ts'
import { listsOf, nullable, type RowOf, rowsOf } from './rows.ts'

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
