import type { Failure, ItemKind, Mute, StartedItem } from '../../port/index.ts'
import { isLate } from '../../rules/items.ts'
import { LONGEST_READ_ALONG } from '../items/bodies.ts'
import type { SealedBurst } from '../items/bursts.ts'
import { openColumns, openIn, type OpenRow } from '../items/open-conversation.ts'
import { one, Query, sql, type Steps } from '../steps.ts'

/** An item with all that its attempt needs; the columns are those of `ITEM_COLUMNS`. */
export interface ItemRow extends OpenRow {
  readonly id: number
  readonly seq: number
  readonly idx: number
  readonly kind: ItemKind
  readonly number: string
  readonly customer: string | null
  readonly at: number
  readonly facts: string
  readonly cause: string
  readonly burst: number | null
  readonly state: string
  readonly attempts: number
  readonly created_at: number
  readonly completed_handlers: string
  readonly last_at: number | null
  readonly handled_at: number | null
  readonly sent_at: number | null
  readonly why: Mute['why'] | null
  readonly since: number
  readonly until: number
  readonly subscription: string
  readonly delivery_id: string
  readonly event: string
  readonly body: Uint8Array | null
  /** The place of a body that is not here since it is long. */
  readonly long_body: number | null
  readonly received_at: number
  readonly trace: string | null
  readonly failure: string | null
}

export function rowOf(id: Query): Steps<ItemRow | undefined> {
  return one<ItemRow>(sql`SELECT ${ITEM_COLUMNS} FROM items i ${ITEM_JOINS} WHERE i.id = (${id})`)
}

/** The columns of a body, of an alias `c` of its row. */
export const BODY_COLUMNS = `
  CASE WHEN length(c.body) <= ${LONGEST_READ_ALONG} THEN c.body END AS body,
  CASE WHEN length(c.body) > ${LONGEST_READ_ALONG} THEN c.place END AS long_body`

export const ITEM_COLUMNS = new Query(`
  i.id, i.seq, i.idx, i.kind, i.number, i.customer, i.at, f.facts, i.cause, i.burst, i.state, i.attempts, i.created_at,
  i.completed_handlers, i.failure, w.last_at, w.handled_at, w.sent_at, m.why, m.since, m.until, ${openColumns('v').text},
  d.subscription, d.delivery_id, d.event, d.received_at, d.trace,${BODY_COLUMNS}`)

const ITEM_JOINS = new Query(`
  JOIN deliveries d ON d.seq = i.seq
  LEFT JOIN contents f ON f.place = i.facts_place LEFT JOIN contents c ON c.place = d.body_place
  LEFT JOIN lanes w ON w.key = i.number || '/' || i.customer
  LEFT JOIN mutes m ON m.number = i.number AND m.customer = i.customer
  LEFT JOIN conversations v ON v.number = i.number AND v.customer = i.customer AND v.state = 'open'`)

export function started(row: ItemRow, body: Uint8Array, suspect: boolean, burst: SealedBurst | undefined): StartedItem {
  const { earlier = ALONE } = burst ?? {}
  const { id, seq, idx, kind, number, customer, at, facts, cause, subscription, event, why, since, until, failure } =
    row
  return {
    id,
    idx,
    kind,
    number,
    customer: customer ?? undefined,
    at,
    facts,
    cause,
    attempt: row.attempts + 1,
    createdAt: row.created_at,
    suspect,
    completedHandlers: JSON.parse(row.completed_handlers) as string[],
    lastInboundAt: row.last_at ?? undefined,
    earlier,
    late: isLate(earlier[0]?.at ?? at, row.handled_at ?? undefined),
    lastSentAt: row.sent_at ?? undefined,
    mute: why === null || customer === null ? undefined : { number, customer, why, since, until },
    conversation: openIn(row),
    failedTrace: failure === null ? undefined : (JSON.parse(failure) as Failure).trace,
    delivery: {
      seq,
      subscription,
      deliveryId: row.delivery_id,
      event,
      body,
      receivedAt: row.received_at,
      trace: row.trace ?? undefined,
    },
  }
}

const ALONE: StartedItem['earlier'] = []
