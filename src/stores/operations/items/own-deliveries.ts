import { createHash } from 'node:crypto'
import { type NewItem, OWN_EVENTS, OWN_SUBSCRIPTION, type OwnKind } from '../../port/index.ts'
import { run, sql, type Steps, type Tx } from '../steps.ts'
import { addContent } from './contents.ts'
import { insertItem } from './insert-item.ts'

/** A delivery that no service made, with one item: the bot's own word, such as that a timer has come due. */
export interface OwnDelivery extends Required<Pick<NewItem, 'number' | 'at'>> {
  readonly kind: OwnKind
  readonly id: string
  /** Kept once under its id. */
  readonly once?: boolean
  /** Its body, as JSON. */
  readonly says: string
  readonly customer: string
  readonly lane: string
  /** The span of what it tells of: see `NewDelivery`. */
  readonly trace?: string | undefined
  cause(seq: number): string
}

const NO_FACTS = JSON.stringify({ values: {}, sure: [], mapped: [], own: {} })

/** Stores such a delivery with its item, which waits in its lane then. Nothing is stored if it is kept once and known. */
export function* deliverOwn(tx: Tx, { kind, id, once = false, says, ...own }: OwnDelivery, now: number): Steps<void> {
  const body = Buffer.from(says)
  const digest = createHash('sha256').update(body).digest()
  const seq = tx.nextPlace()
  const stored = yield* run(sql`
    INSERT INTO deliveries
      (seq, body_place, subscription, delivery_id, event, timestamp, digest, received_at, clock_offset, state, holds_id,
      holds_signed, trace)
    VALUES (${seq}, ${seq}, ${OWN_SUBSCRIPTION}, ${id}, ${OWN_EVENTS[kind]}, ${Math.floor(now / 1_000)}, ${digest}, ${now},
      coalesce((SELECT clock_offset FROM deliveries WHERE seq = (SELECT max(seq) FROM deliveries)), 0), 'stored', ${once}, 0, ${own.trace})
    ON CONFLICT DO NOTHING`)
  if (stored === 0) return
  yield* addContent(tx, { seq, body })
  const { number, customer, lane, at } = own
  const cause = { identity: undefined, signed: own.cause(seq) }
  // Messages that were gathered in the lane before it go first.
  const burst = kind === 'send_failed' ? undefined : 'flushes'
  const item = { idx: 0, kind, number, customer, lane, at, facts: NO_FACTS, identity: undefined, cause } as const
  yield* insertItem(tx, { ...item, burst, state: 'stored' }, { seq, now, moves: new Map() })
}
