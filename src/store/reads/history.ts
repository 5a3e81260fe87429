import type { Query } from '../database/sql.ts'
import { joined, positionIn, sql } from '../database/sql.ts'
import { all, allAs, one, type Steps, valuesOf } from '../database/steps.ts'
import { namesOf, ofCustomer as optOutsOf } from '../outbox/opt-outs.ts'
import { KEPT_BY_FEATURES } from '../database/effects-of-features.ts'
import { BY_STATE, sendsOf } from '../outbox/rows.ts'
import { forgottenUpto } from '../customers/forgotten.ts'
import { deliveries } from './deliveries.ts'
import { contents, inbox, once_results, work } from '../database/inbox-tables.ts'
import { customers, opt_outs, timers, type CustomerOfNumber } from '../database/customer-tables.ts'
import { OF_CUSTOMER } from '../database/schema.ts'
import { sends } from '../database/outbox-tables.ts'

/** Returns at most `last` messages from the customer and `last` sends to them, newest first, without withheld sends. */
export function* history(who: CustomerOfNumber, last: number) {
  const { number, customer } = who
  const forgotten = yield* forgottenUpto(who)
  const received: ReceivedMessage[] = []
  for (const kind of OF_CUSTOMER)
    received.push(
      ...(yield* allAs<ReceivedMessage>(sql`
    SELECT i.id, i.at, d.received_at AS "receivedAt", d.clock_offset AS "clockOffset", i.cause, c.facts
    FROM ${inbox} i JOIN ${inbox} d ON d.id = coalesce(i.delivery, i.id) LEFT JOIN ${contents} c ON c.id = i.id
      LEFT JOIN ${work} w ON w.item = i.id
    WHERE i.${kind} AND i.number = ${number} AND i.customer = ${customer} AND d.id > ${forgotten.items}
      AND (w.item IS NULL OR w.attempts > 0 OR w.state = 'parked') AND coalesce(i.mark, '') <> 'same_message'
    ORDER BY i.id DESC LIMIT ${last}`)),
    )
  received.sort((a, b) => b.id - a.id).splice(last)
  const sent = yield* all<{
    readonly acceptedAt: number
    readonly cause: string
    readonly slot: string
    readonly body: string
  }>(sql`
    SELECT settled_at AS "acceptedAt", cause, slot,
      CASE WHEN via = 'template' THEN coalesce(fallback_body, body) ELSE body END AS body
    FROM ${sends}
    WHERE state = 'accepted' AND withheld = 0 AND number = ${number} AND customer = ${customer} AND seq > ${forgotten.sends}
    ORDER BY settled_at DESC, seq DESC LIMIT ${last}`)
  return { received, sent }
}

export interface ReceivedMessage {
  readonly id: number
  readonly at: number
  readonly receivedAt: number
  readonly clockOffset: number
  readonly cause: string
  readonly facts: string | undefined
}

const SAID = [
  ...OF_CUSTOMER.map((kind) => sql`inbox WHERE ${kind}`),
  sql`sends WHERE state = 'accepted' AND withheld = 0`,
]

export function* numbersOf(customer: string): Steps<string[]> {
  const found = new Set<string>()
  for (const said of SAID) {
    const rows = yield* all<{ value: string }>(sql`
      ${valuesOf(sql`number`, said)} AND EXISTS (SELECT 1 FROM ${said} AND number = found.value AND customer = ${customer})`)
    for (const { value } of rows) found.add(value)
  }
  return [...found].sort()
}

export function* latestOf(who: CustomerOfNumber, last: number) {
  const { number, customer } = who
  const to = sql`number = ${number} AND customer = ${customer}`
  const found: { readonly id: number; readonly seq: number }[] = []
  for (const kind of OF_CUSTOMER)
    found.push(
      ...(yield* all<{ id: number; seq: number }>(sql`
        SELECT id, coalesce(delivery, id) AS seq FROM ${inbox} WHERE ${kind} AND ${to} ORDER BY id DESC LIMIT ${last}`)),
    )
  found.sort((a, b) => b.id - a.id).splice(last)
  const part = (rows: Query) => sql`SELECT seq FROM (SELECT seq FROM ${sends} WHERE ${rows} LIMIT ${last}) AS part`
  // Because of the plus, SQLite does not follow the order of keys: it would read all sends for a customer who has few.
  return {
    deliveries: yield* deliveries(found.map(({ seq }) => seq)),
    sends: yield* sendsOf(sql`
      seq IN (
        ${part(sql`state = 'accepted' AND withheld = 0 AND ${to} ORDER BY settled_at DESC`)}
        UNION ALL ${part(sql`place < 2 AND ${to}`)} UNION ALL ${part(sql`place = 2 AND ${to} ORDER BY + seq DESC`)}
        UNION ALL ${part(sql`${BY_STATE} AND ${to} ORDER BY + seq DESC`)})
      ORDER BY seq DESC LIMIT ${last}`),
  }
}

/** Returns everything that is stored of a customer, except deliveries and sends. */
export function* keptOf(customer: string) {
  return {
    sessions: yield* all(sql`
      SELECT number, session AS value, session_expires_at AS "expiresAt" FROM ${customers}
      WHERE customer = ${customer} AND session IS NOT NULL ORDER BY number`),
    windows: yield* all(sql`
      SELECT number, last_at AS "lastInboundAt", sent_at AS "lastSentAt" FROM ${customers}
      WHERE customer = ${customer} AND last_at IS NOT NULL ORDER BY number`),
    optOuts: yield* all(sql`
      SELECT number, state, at, how FROM ${opt_outs} WHERE ${optOutsOf(yield* namesOf(customer))} ORDER BY at, number`),
    ...(yield* readByFeatures(customer)),
    timers: yield* all(sql`
      SELECT number, kind, name, due_at AS "dueAt", says FROM ${timers}
      WHERE customer = ${customer} ORDER BY number, due_at, kind, name`),
    once: yield* all<{ seq: number; name: string; result: string }>(sql`
      SELECT coalesce(i.delivery, i.id) AS seq, o.name, o.result FROM ${inbox} i JOIN ${once_results} o ON o.item = i.id
      WHERE i.customer = ${customer} ORDER BY i.id, o.name`),
  }
}

type OfFeatures<T> = { readonly [Name in keyof typeof KEPT_BY_FEATURES]: T }

function* readByFeatures(customer: string): Steps<OfFeatures<readonly unknown[]>> {
  const found: [string, readonly unknown[]][] = []
  for (const [name, { read }] of Object.entries(KEPT_BY_FEATURES)) found.push([name, yield* read(customer)])
  return Object.fromEntries(found) as OfFeatures<readonly unknown[]>
}

// ── what is kept of a customer ──────────────────────────────────────────────────────────────────────

const KEPT = {
  items: 0,
  sends: 0,
  sessions: 0,
  windows: 0,
  timers: 0,
  optOuts: 0,
  ...(Object.fromEntries(Object.keys(KEPT_BY_FEATURES).map((name) => [name, 0])) as OfFeatures<number>),
}

type Kept = typeof KEPT

const keptByFeatures = (customer: string) =>
  Object.entries(KEPT_BY_FEATURES).map(
    ([name, { numbers }]) => sql`UNION ALL SELECT number, ${name} FROM (${numbers(customer)}) AS theirs`,
  )

export function* countKept(customer: string) {
  const rows = yield* all<{ number: string; what: keyof Kept; n: number }>(sql`
    SELECT number, what, count(*) AS n FROM (
      SELECT number, 'items' AS what FROM ${inbox} WHERE customer = ${customer}
      UNION ALL SELECT number, 'sends' FROM ${sends} WHERE customer = ${customer}
      UNION ALL SELECT number, 'sessions' FROM ${customers} WHERE customer = ${customer} AND session IS NOT NULL
      UNION ALL SELECT number, 'windows' FROM ${customers} WHERE customer = ${customer} AND last_at IS NOT NULL
      UNION ALL SELECT number, 'timers' FROM ${timers} WHERE customer = ${customer}
      UNION ALL SELECT number, 'optOuts' FROM ${opt_outs} WHERE customer = ${customer}
      ${joined(keptByFeatures(customer), ' ')}
    ) AS kept GROUP BY number, what ORDER BY number`)
  const numbers: Record<string, Kept> = {}
  for (const { number, what, n } of rows) numbers[number] = { ...(numbers[number] ?? KEPT), [what]: n }
  const named = yield* one<{ n: number }>(sql`
    SELECT count(*) AS n FROM ${inbox} d JOIN ${contents} c ON c.id = d.id
    WHERE d.idx = 0 AND d.kind IS NULL AND ${positionIn(Buffer.from(customer), 'c.body')} > 0`)
  return { numbers, naming: named?.n ?? 0 }
}
