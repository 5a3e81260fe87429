import { openItem } from '../work/items.ts'
import { seal } from '../work/bursts.ts'
import { one, run, sql, type Steps, type Tx } from '../steps.ts'
import { type NewItem, OWN_EVENTS, OWN_SUBSCRIPTION, type OwnKind } from '../types/types.ts'

/** A delivery that no service made, with one item: the bot's own word, such as that a timer has come due. */
export interface OwnDelivery extends Required<Pick<NewItem, 'number' | 'at'>> {
  readonly kind: OwnKind
  readonly id: string
  /** It is stored once under its id. */
  readonly once?: boolean
  /** The body. */
  readonly says: string
  readonly customer: string
  readonly lane: string
  /** The span of its origin: see `NewDelivery`. */
  readonly trace?: string | undefined
  cause(seq: number): string
}

const NO_FACTS = JSON.stringify({ values: {}, sure: [], mapped: [], own: {} })

/** The clock offset that the newest delivery arrived with; 0 if there is none. */
export function* lastClockOffset(): Steps<number> {
  const row = yield* one<{ clock_offset: number }>(sql`
    SELECT clock_offset FROM inbox WHERE ordinal = 0 ORDER BY id DESC LIMIT 1`)
  return row?.clock_offset ?? 0
}

/** Stores such a delivery, whose item waits in its lane then. Nothing is stored if its id is known and it is stored once. */
export function* storeOwn(tx: Tx, own: OwnDelivery, now: number): Steps<void> {
  const { kind, id, once = false, says, number, customer, lane, at, trace } = own
  const seq = tx.nextId()
  const stored = yield* run(sql`
    INSERT INTO inbox (id, ordinal, subscription, delivery_id, other_id, event, timestamp, received_at, clock_offset,
      repeats, trace, kind, number, customer, lane, at, cause)
    VALUES (${seq}, 0, ${OWN_SUBSCRIPTION}, ${once ? id : undefined}, ${once ? undefined : id}, ${OWN_EVENTS[kind]},
      ${Math.floor(now / 1_000)}, ${now}, ${yield* lastClockOffset()}, 0, ${trace}, ${kind}, ${number}, ${customer},
      ${lane}, ${at}, ${own.cause(seq)})
    ON CONFLICT DO NOTHING`)
  if (stored === 0) return
  yield* run(sql`INSERT INTO contents (id, body, facts) VALUES (${seq}, ${Buffer.from(says)}, ${NO_FACTS})`)
  // Messages that were gathered in the lane before it go first.
  if (kind !== 'send_failed') yield* seal(lane, now)
  yield* openItem({ item: seq, lane, number, at, now })
  tx.wake('items')
}
