import type { CustomerOfNumber, History, Received, Sent, Store } from '../../port/index.ts'
import { itemId } from '../items/item-ids.ts'
import { all, allAs, one, Query, run, sql, type Steps } from '../steps.ts'

/** See `Store.history`. */
export function* history(who: CustomerOfNumber, last: number): Steps<History> {
  const { number, customer } = who
  const received = yield* allAs<Received>(sql`
    SELECT i.at, i.created_at AS "receivedAt", d.clock_offset AS "clockOffset", i.cause, c.facts
    FROM items i JOIN deliveries d ON d.seq = i.seq LEFT JOIN contents c ON c.place = i.facts_place
    WHERE i.kind = 'message' AND i.number = ${number} AND i.customer = ${customer}
      AND i.id >= ${itemId((yield* forgottenUpto(who, 'deliveries')) + 1, 0)}
      AND (i.attempts > 0 OR i.settled_at IS NOT NULL) AND i.state <> 'same_message'
    ORDER BY i.id DESC LIMIT ${last}`)
  const sent = yield* all<Sent>(sql`
    SELECT settled_at AS "acceptedAt", cause,
      CASE WHEN via = 'template' THEN coalesce(fallback_body, body) ELSE body END AS body
    FROM sends
    WHERE state = 'accepted' AND withheld = 0 AND number = ${number} AND customer = ${customer}
      AND seq > ${yield* forgottenUpto(who, 'sends')}
    ORDER BY settled_at DESC, seq DESC LIMIT ${last}`)
  return { received, sent }
}

/** A message that is to be forgotten is not shown any more, though it may not be erased yet. */
function* forgottenUpto({ number, customer }: CustomerOfNumber, what: 'deliveries' | 'sends'): Steps<number> {
  const row = yield* one<{ upto: number }>(sql`
    SELECT upto FROM forgotten WHERE number = ${number} AND customer = ${customer} AND what = ${what}`)
  return row?.upto ?? -1
}

type OfHistory = Pick<Store, 'history' | 'numbersOf' | 'latestOf'>

/** The operations that go by the indexes of a history, which are made before the first of them. */
export function behindIndexes(operations: OfHistory, make: () => Promise<void>): OfHistory {
  let made: Promise<void> | undefined
  const indexes = () =>
    (made ??= make().catch((error: unknown) => {
      made = undefined
      throw error
    }))
  return {
    async history(...asked) {
      await indexes()
      return operations.history(...asked)
    },
    async numbersOf(...asked) {
      await indexes()
      return operations.numbersOf(...asked)
    },
    async latestOf(...asked) {
      await indexes()
      return operations.latestOf(...asked)
    },
  }
}

/** The indexes of a history, by their names. */
export const HISTORY_INDEXES = {
  items_said: "items (number, customer, id) WHERE kind = 'message'",
  sends_said: "sends (number, customer, settled_at) WHERE state = 'accepted' AND withheld = 0",
} as const

/**
 * Makes the indexes of a history, if they are not there. They are no part of the schema, since each would
 * cost a page at every delivery: only an app that asks for a history pays for them, from its first question on.
 */
export function* makeIndexes(): Steps<void> {
  for (const [name, on] of Object.entries(HISTORY_INDEXES))
    yield* run(new Query(`CREATE INDEX IF NOT EXISTS ${name} ON ${on}`))
}
