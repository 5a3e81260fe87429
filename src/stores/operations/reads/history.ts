import { itemId } from '../items/item-ids.ts'
import { customerLane, inLanesOf } from '../lanes/lanes.ts'
import { deliveries } from './list-deliveries.ts'
import { INDEXED_SEND, sendsOf } from '../sends/sends.ts'
import { all, allAs, one, Query, run, sql, type Steps } from '../steps.ts'
import type {
  ConversationRecord,
  CustomerLatest,
  CustomerOfNumber,
  History,
  KeptOf,
  Received,
  Sent,
} from '../../port/index.ts'

/**
 * Reads the last that was said, at most so many messages of each side, as far as it is kept. Nothing is written for it
 * before it is asked for: the first question makes its indexes, for seconds in a large database.
 */
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

/** Operations that go by the indexes of a history, which are made before the first of them. */
export function behindIndexes<Operations extends Record<string, (...asked: never[]) => Promise<unknown>>>(
  operations: Operations,
  make: () => Promise<void>,
): Operations {
  let made: Promise<void> | undefined
  const indexes = () =>
    (made ??= make().catch((error: unknown) => {
      made = undefined
      throw error
    }))
  const behind = Object.entries(operations).map(([name, operation]) => [
    name,
    async (...asked: never[]) => {
      await indexes()
      return operation(...asked)
    },
  ])
  return Object.fromEntries(behind) as Operations
}

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

const SAID = [new Query("items WHERE kind = 'message'"), new Query("sends WHERE state = 'accepted' AND withheld = 0")]

/**
 * The numbers on which a customer wrote, or was written to. Its first question makes the indexes of `history`.
 *
 * One step into an index for each number, and one for the customer on it.
 */
export function* numbersOf(customer: string): Steps<string[]> {
  const found = new Set<string>()
  for (const said of SAID) {
    const rows = yield* all<{ number: string }>(sql`
      WITH RECURSIVE numbers(number) AS (
        SELECT number FROM (SELECT number FROM ${said} ORDER BY number LIMIT 1) AS first
        UNION ALL
        SELECT (SELECT number FROM ${said} AND number > numbers.number ORDER BY number LIMIT 1)
        FROM numbers WHERE number IS NOT NULL)
      SELECT number FROM numbers n WHERE EXISTS (
        SELECT 1 FROM ${said} AND number = n.number AND customer = ${customer})`)
    for (const { number } of rows) found.add(number)
  }
  return [...found].sort()
}

/** A customer's messages and sends, at most so many of each. Its first question makes the indexes of `history`. */
export function* latestOf(who: CustomerOfNumber, last: number): Steps<CustomerLatest> {
  const { number, customer } = who
  const to = sql`number = ${number} AND customer = ${customer}`
  const found = yield* all<{ seq: number }>(sql`
    SELECT seq FROM items WHERE kind = 'message' AND ${to} ORDER BY id DESC LIMIT ${last}`)
  const part = (rows: Query) => sql`SELECT seq FROM (SELECT seq FROM sends WHERE ${rows} LIMIT ${last}) AS part`
  return {
    deliveries: yield* deliveries(found.map(({ seq }) => seq)),
    sends: yield* sendsOf(sql`
      seq IN (
        ${part(sql`state = 'accepted' AND withheld = 0 AND ${to} ORDER BY settled_at DESC`)}
        UNION ${part(sql`${inLanesOf(customerLane(who))} AND settled_at IS NULL ORDER BY seq DESC`)}
        UNION ${part(sql`
          ${INDEXED_SEND} AND state IN ('refused', 'unknown', 'skipped', 'cancelled', 'dropped') AND ${to}
          ORDER BY + seq DESC`)})
      ORDER BY seq DESC LIMIT ${last}`),
  }
}

/** Reads what is kept of a customer besides deliveries and sends, for the customer who asks to see it. */
export function* keptOf(customer: string): Steps<KeptOf> {
  const ended = yield* all<Omit<ConversationRecord, 'steps'>>(sql`
    SELECT id, number, name, version, state, input, ended, opened_at AS "openedAt", ended_at AS "endedAt"
    FROM conversations WHERE customer = ${customer} ORDER BY opened_at, id`)
  const conversations: ConversationRecord[] = []
  for (const one of ended)
    conversations.push({
      ...one,
      steps: yield* all(sql`
        SELECT kind, name, result FROM conversation_steps WHERE conversation = ${one.id} ORDER BY step`),
    })
  return {
    conversations,
    sessions: yield* all(sql`
      SELECT number, value, expires_at AS "expiresAt" FROM sessions WHERE customer = ${customer} ORDER BY number`),
    windows: yield* all(sql`
      SELECT number, last_at AS "lastInboundAt", sent_at AS "lastSentAt" FROM lanes
      WHERE key = number || '/' || ${customer} AND last_at IS NOT NULL ORDER BY number`),
    mutes: yield* all(sql`
      SELECT number, why, since, until FROM mutes WHERE customer = ${customer} ORDER BY number`),
    timers: yield* all(sql`
      SELECT number, kind, name, due_at AS "dueAt", says FROM timers
      WHERE customer = ${customer} ORDER BY number, due_at, kind, name`),
    once: yield* all(sql`
      SELECT i.seq, o.name, o.result FROM items i JOIN once_results o ON o.item = i.id
      WHERE i.customer = ${customer} ORDER BY i.id, o.name`),
  }
}
