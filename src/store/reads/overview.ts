import { overviewOfFeatures } from '../database/effects-of-features.ts'
import { BY_STATE, inState, OPEN_SENDS, sendsOf, SHOWN_STATE } from '../outbox/rows.ts'
import { stoppedThrottles } from '../outbox/throttles.ts'
import { type Query, sql, when } from '../database/sql.ts'
import { all, one, type Steps, MOST_COUNTED } from '../database/steps.ts'
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
export function* heldByStops(): Steps<readonly { readonly number: string; readonly n: number }[]> {
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
 * Returns the wall time since which the oldest work has waited that could begin; undefined if none waits. The query
 * costs the same however much waits: it reads the first waiting row of each lane.
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
