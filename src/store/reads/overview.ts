import { EFFECTS, overviewOfFeatures } from '../database/effects-of-features.ts'
import { BY_STATE, inState, OPEN_SENDS, sendsOf, SHOWN_STATE } from '../outbox/rows.ts'
import { stoppedThrottles } from '../outbox/throttles.ts'
import { joined, type Query, sql, when } from '../database/sql.ts'
import { all, allAs, one, type Steps, MOST_COUNTED } from '../database/steps.ts'
import { earliest } from '../work/item-rules.ts'
import { numbersWaiting } from '../work/claims.ts'
import { DELIVERY_STATE, ITEM_STATE } from './deliveries.ts'
import { inbox, work } from '../database/inbox-tables.ts'
import { timers, type CustomerOfNumber } from '../database/customer-tables.ts'
import { acts } from '../database/meta.ts'
import { sends, type SendRow } from '../database/outbox-tables.ts'

export type Counts = Readonly<Record<string, number>>

export interface TimerRow extends CustomerOfNumber {
  readonly kind: string
  readonly name: string
  readonly dueAt: number
}

export function* overview() {
  const newest = yield* one<{ deliveries: number; sends: number; acts: number }>(sql`
    SELECT coalesce((SELECT id FROM ${inbox} WHERE idx = 0 ORDER BY id DESC LIMIT 1), 0) AS deliveries,
      (SELECT coalesce(max(seq), 0) FROM ${sends}) AS sends, (SELECT coalesce(max(seq), 0) FROM ${acts}) AS acts`)
  const items = (state: string) => countOf(sql`work WHERE place IS NULL AND state = ${state}`)
  const marked = (mark: string) => countOf(sql`inbox WHERE mark = ${mark}`)
  const inOutbox = (state: string) => countOf(sql`sends WHERE ${BY_STATE} AND state = ${state}`)
  return {
    newest: newest ?? { deliveries: 0, sends: 0, acts: 0 },
    resting: {
      dead: yield* items('dead'),
      parked: yield* items('parked'),
      quarantined: yield* marked('quarantined'),
      conflict: yield* marked('conflict'),
      suspected_replay: yield* marked('suspected_replay'),
    },
    sends: {
      ready: yield* countOf(sql`sends WHERE ${inState('ready')}`),
      scheduled: yield* inOutbox('scheduled'),
      held: (yield* heldByStops()).reduce((sum, { n }) => Math.min(sum + n, MOST_COUNTED), yield* inOutbox('held')),
      unknown: yield* inOutbox('unknown'),
    },
    timers: yield* countOf(sql`timers`),
    ...(yield* overviewOfFeatures()),
  }
}

function* countOf(rows: Query): Steps<number> {
  const counted = yield* one<{ n: number }>(sql`
    SELECT count(*) AS n FROM (SELECT 1 FROM ${rows} LIMIT ${MOST_COUNTED}) AS found`)
  return counted?.n ?? 0
}

/** Counts sends that wait behind a stopped number, which people see as held. */
function* heldByStops(): Steps<readonly { readonly number: string; readonly n: number }[]> {
  const held: { number: string; n: number }[] = []
  for (const { number } of yield* stoppedThrottles()) {
    const first = yield* countOf(sql`sends WHERE place = 0 AND number = ${number} AND state = 'ready' AND withheld = 0`)
    const behind = yield* countOf(sql`sends WHERE place = 2 AND number = ${number} AND state = 'ready'`)
    held.push({ number, n: first + behind })
  }
  return held
}

export function* timersOf({ number, customer }: CustomerOfNumber): Steps<readonly TimerRow[]> {
  return yield* all<TimerRow>(sql`
    SELECT number, customer, kind, name, due_at AS "dueAt" FROM ${timers}
    WHERE number = ${number} AND customer = ${customer} ORDER BY due_at, kind, name`)
}

export function* scheduledSends({
  number,
  limit,
  after,
}: {
  readonly number?: string | undefined
  readonly limit: number
  readonly after?: { readonly dueAt: number; readonly id: string } | undefined
}): Steps<readonly SendRow[]> {
  const { dueAt = 0, id = '' } = after ?? {}
  return yield* sendsOf(sql`
    state = 'scheduled' AND due_at >= ${dueAt} AND (due_at, id) > (${dueAt}, ${id})
      ${when(number !== undefined, () => sql`AND number = ${number}`)}
    ORDER BY due_at, id LIMIT ${limit}`)
}

export function* sendsWithRef(ref: string, limit: number): Steps<readonly SendRow[]> {
  return yield* sendsOf(sql`ref = ${ref} ORDER BY seq DESC LIMIT ${limit}`)
}

export function* counts(): Steps<{ deliveries: Counts; items: Counts; sends: Counts }> {
  return {
    deliveries: yield* countStates(sql`
      SELECT ${DELIVERY_STATE} AS state FROM ${inbox} d WHERE idx = 0 AND coalesce(cause, ' ') <> ''`),
    items: yield* countStates(sql`
      SELECT ${ITEM_STATE} AS state FROM ${inbox} i LEFT JOIN ${work} w ON w.item = i.id WHERE i.kind IS NOT NULL`),
    sends: yield* countStates(sql`SELECT ${SHOWN_STATE} AS state FROM ${sends}`),
  }
}

function* countStates(rows: Query): Steps<Counts> {
  const counted = yield* all<{ state: string; n: number }>(
    sql`SELECT state, count(*) AS n FROM (${rows}) AS rows_by_state GROUP BY state ORDER BY state`,
  )
  return Object.fromEntries(counted.map(({ state, n }) => [state, n]))
}

export function* waiting() {
  const row = yield* one<{ deliveries: number; items: number; sends: number }>(sql`
    SELECT (SELECT count(*) FROM ${work} WHERE place IS NULL AND state = 'unread') AS deliveries,
      (SELECT count(*) FROM ${work}) - (
        SELECT count(*) FROM ${work} WHERE place IS NULL AND state IN ('unread', 'parked', 'dead')) AS items,
      (SELECT count(*) FROM ${OPEN_SENDS} AS open) AS sends`)
  return row ?? { deliveries: 0, items: 0, sends: 0 }
}

/**
 * Returns the wall time since which the oldest waiting work waits; undefined if none waits. Work that may not begin yet
 * does not count. The query costs the same however much waits: it reads the first waiting row of each lane.
 */
export function* waitingSince(now: number): Steps<number | undefined> {
  const unread = yield* one<{ at: number | null }>(sql`
    SELECT since AS at FROM ${work} WHERE place IS NULL AND state = 'unread' ORDER BY item LIMIT 1`)
  let first: { since: number; due: number } | undefined
  for (const number of yield* numbersWaiting('work')) {
    const row = yield* one<{ since: number; due: number }>(sql`
      SELECT since, due FROM ${work} WHERE place = 0 AND number = ${number} AND due <= ${now} ORDER BY due, item LIMIT 1`)
    if (row && (first === undefined || row.due < first.due)) first = row
  }
  const behind = yield* one<{ at: number | null }>(sql`
    SELECT min((SELECT b.since FROM ${work} b WHERE b.lane = w.lane AND b.place = 2 ORDER BY b.at, b.item LIMIT 1)) AS at
    FROM ${work} w WHERE w.place = 1 AND w.followed = 1`)
  return earliest(unread?.at, first?.since, behind?.at)
}

// ── what waits for a person ─────────────────────────────────────────────────────────────────────────

/** Work that waits for a person: rows of one kind on one number. */
export interface NeedsPerson {
  readonly what: 'dead' | 'parked' | 'quarantined' | 'conflict' | 'suspected_replay' | 'held' | 'unknown' | 'customers'
  /** The number; for a delivery that was not read, its subscription. */
  readonly number: string
  readonly count: number
}

const MARKS = ['quarantined', 'conflict', 'suspected_replay'] as const

/** Counts the work that waits for a person. Each kind is counted up to `MOST_COUNTED` rows. */
export function* needsPerson(serviceNow: number): Steps<readonly NeedsPerson[]> {
  const found: NeedsPerson[] = []
  function* count(what: NeedsPerson['what'], rows: Query): Steps<void> {
    const counted = yield* all<{ number: string | null; n: number }>(sql`
      SELECT number, count(*) AS n FROM (SELECT ${rows} LIMIT ${MOST_COUNTED}) AS found GROUP BY number ORDER BY number`)
    found.push(...counted.map(({ number, n }) => ({ what, number: number ?? '', count: n })))
  }
  for (const state of ['dead', 'parked'] as const)
    yield* count(state, sql`number FROM ${work} WHERE place IS NULL AND state = ${state}`)
  for (const mark of MARKS) yield* count(mark, sql`subscription AS number FROM ${inbox} WHERE mark = ${mark}`)
  for (const state of ['held', 'unknown'] as const)
    yield* count(state, sql`number FROM ${sends} WHERE ${BY_STATE} AND state = ${state}`)
  for (const { number, n } of yield* heldByStops()) if (n > 0) found.push({ what: 'held', number, count: n })
  yield* count('customers', sql`number FROM (${waitingForPerson(serviceNow)}) AS waiting`)
  return found
}

const NOBODY = sql`SELECT '' AS number, 0 AS since WHERE false`

function waitingForPerson(serviceNow: number): Query {
  return joined([NOBODY, ...EFFECTS.flatMap(({ waitsForPerson }) => waitsForPerson?.(serviceNow) ?? [])], ' UNION ALL ')
}

function* whoWait(serviceNow: number, limit: number) {
  return yield* all<{ readonly number: string; readonly since: number }>(sql`
    ${waitingForPerson(serviceNow)} ORDER BY since LIMIT ${limit}`)
}

export function* countWaiting(serviceNow: number) {
  return yield* all<{ readonly number: string; readonly n: number }>(sql`
    SELECT number, count(*) AS n FROM (${waitingForPerson(serviceNow)}) AS waiting GROUP BY number ORDER BY number`)
}

// ── trend ───────────────────────────────────────────────────────────────────────────────────────────

/** A customer's message and its outcome. Times are wall times. */
export interface TrendRow {
  readonly number: string
  readonly at: number
  /** When the service accepted the first message that the handlers of this message sent to the customer. */
  readonly answeredAt: number | undefined
  /** 1 if its handlers failed for good, a fact was missing, or a message to the customer was refused or is unknown. */
  readonly failed: 0 | 1
}

/** The most rows that are read, of deliveries and of sends, including statuses. So the cost has a limit. */
const MOST_READ = 20_000

const NEWEST = sql`id > (SELECT coalesce(max(id), 0) FROM ${inbox}) - ${MOST_READ}`

/**
 * Returns the messages since `from` among the newest rows. If the newest rows begin later than `from`, `countedFrom` is
 * the time at which they begin. `waits`: customers who wait for a person, at service time.
 */
export function* trend({ from, serviceNow }: { readonly from: number; readonly serviceNow: number }) {
  const messages: readonly TrendRow[] = yield* allAs<TrendRow>(sql`
    WITH answers AS MATERIALIZED (
      SELECT delivery, customer, min(CASE WHEN state = 'accepted' THEN settled_at END) AS at,
        max(CASE WHEN state IN ('refused', 'unknown') THEN 1 ELSE 0 END) AS failed
      FROM ${sends}
      WHERE seq > (SELECT coalesce(max(seq), 0) FROM ${sends}) - ${MOST_READ} AND created_at >= ${from} AND delivery IS NOT NULL
      GROUP BY delivery, customer)
    SELECT i.number, i.received_at AS at, a.at AS "answeredAt",
      CASE WHEN w.state IN ('dead', 'parked') OR a.failed = 1 THEN 1 ELSE 0 END AS failed
    FROM ${inbox} i
      LEFT JOIN ${inbox} b ON b.id = i.bundle
      LEFT JOIN ${inbox} d ON d.id = coalesce(b.delivery, b.id, i.delivery, i.id)
      LEFT JOIN ${work} w ON w.item = i.id
      LEFT JOIN answers a ON a.delivery = coalesce(d.delivery_id, d.other_id) AND a.customer = i.customer
    WHERE i.${NEWEST} AND i.received_at >= ${from} AND coalesce(i.kind, '') = 'message' AND coalesce(i.mark, '') <> 'same_message'`)
  const [oldest] = yield* allAs<{ at: number; isFirst: number }>(sql`
    SELECT i.received_at AS at, CASE WHEN EXISTS (SELECT 1 FROM ${inbox} e WHERE e.id < i.id) THEN 0 ELSE 1 END AS "isFirst"
    FROM ${inbox} i WHERE i.${NEWEST} ORDER BY i.id LIMIT 1`)
  const countedFrom = oldest && oldest.isFirst === 0 && oldest.at > from ? oldest.at : undefined
  return { messages, countedFrom, waits: yield* whoWait(serviceNow, MOST_COUNTED) }
}

export type Trend = ReturnType<typeof trend> extends Steps<infer T> ? T : never
