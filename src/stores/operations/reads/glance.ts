import { inLanesOf } from '../lanes/lanes.ts'
import { numbersWaiting, readyLanes } from '../lanes/numbers-waiting.ts'
import { INDEXED_ITEM, INDEXED_SEND, sendsOf, SHOWN_STATE } from '../sends/sends.ts'
import { stoppedThrottles } from '../sends/throttles.ts'
import { all, one, Query, sql, type Steps, when } from '../steps.ts'
import {
  type Counts,
  type CustomerOfNumber,
  type Glance,
  MOST_COUNTED,
  type SendRow,
  type TimerPage,
  type TimerRow,
  type Waiting,
} from '../../port/index.ts'

export function* glance(): Steps<Glance> {
  const newest = yield* one<Glance['newest']>(sql`
    SELECT (SELECT coalesce(max(seq), 0) FROM deliveries) AS deliveries,
      (SELECT coalesce(max(seq), 0) FROM sends) AS sends, (SELECT coalesce(max(seq), 0) FROM acts) AS acts`)
  const items = (state: string) => countOf(sql`items WHERE ${INDEXED_ITEM} AND state = ${state}`)
  const unread = (state: string) => countOf(sql`deliveries WHERE state <> 'stored' AND state = ${state}`)
  const sends = (state: string) => countOf(sql`sends WHERE ${INDEXED_SEND} AND state = ${state}`)
  return {
    newest: newest ?? { deliveries: 0, sends: 0, acts: 0 },
    resting: {
      dead: yield* items('dead'),
      parked: yield* items('parked'),
      quarantined: yield* unread('quarantined'),
      conflict: yield* unread('conflict'),
      suspected_replay: yield* unread('suspected_replay'),
    },
    sends: {
      scheduled: yield* sends('scheduled'),
      held: Math.min((yield* sends('held')) + (yield* heldByThrottles()), MOST_COUNTED),
      unknown: yield* sends('unknown'),
    },
    conversations: yield* countOf(sql`conversations WHERE state = 'open'`),
    timers: yield* countOf(sql`timers`),
  }
}

function* countOf(rows: Query): Steps<number> {
  const counted = yield* one<{ n: number }>(sql`
    SELECT count(*) AS n FROM (SELECT 1 FROM ${rows} LIMIT ${MOST_COUNTED}) AS found`)
  return counted?.n ?? 0
}

function* heldByThrottles(): Steps<number> {
  let held = 0
  for (const { number } of yield* stoppedThrottles())
    held += yield* countOf(sql`
      sends WHERE ${inLanesOf(number)} AND settled_at IS NULL AND state = 'ready' AND withheld = 0`)
  return held
}

const TIMER = sql`SELECT number, customer, kind, name, due_at AS "dueAt" FROM timers`

export function* listTimers({
  number,
  limit,
  after,
}: {
  readonly number?: string
  readonly limit: number
  readonly after?: TimerRow
}): Steps<TimerPage> {
  const timers = yield* all<TimerRow>(sql`
    ${TIMER} WHERE true
      ${when(number !== undefined, () => sql`AND number = ${number}`)}
      ${when(
        after !== undefined,
        () => sql`AND due_at >= ${after?.dueAt} AND (due_at, number, customer, kind, name) >
          (${after?.dueAt}, ${after?.number}, ${after?.customer}, ${after?.kind}, ${after?.name})`,
      )}
    ORDER BY due_at, number, customer, kind, name LIMIT ${limit}`)
  return { timers, next: timers.length < limit ? undefined : timers.at(-1) }
}

export function* timersOf({ number, customer }: CustomerOfNumber): Steps<readonly TimerRow[]> {
  return yield* all<TimerRow>(sql`
    ${TIMER} WHERE number = ${number} AND customer = ${customer} ORDER BY due_at, kind, name`)
}

/** Sends that wait for their times, in their order; `after` is the last of the page before. */
export function* scheduledSends({
  number,
  limit,
  after,
}: {
  readonly number?: string
  readonly limit: number
  readonly after?: { readonly dueAt: number; readonly id: string }
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

/**
 * Counts what the inbox and the outbox hold, by state.
 *
 * An item of which only the claim of its identity is left has no cause.
 */
export function* counts(): Steps<{ deliveries: Counts; items: Counts; sends: Counts }> {
  return {
    deliveries: yield* countStates('deliveries'),
    items: yield* countStates('items'),
    sends: yield* countStates('sends'),
  }
}

function* countStates(table: 'deliveries' | 'items' | 'sends'): Steps<Counts> {
  const state = table === 'sends' ? SHOWN_STATE : new Query('state')
  const rows = yield* all<{ state: string; n: number }>(
    sql`SELECT ${state} AS state, count(*) AS n FROM ${new Query(table)}
      ${when(table === 'items', () => sql`WHERE cause <> ''`)} GROUP BY 1 ORDER BY 1`,
  )
  return Object.fromEntries(rows.map(({ state, n }) => [state, n]))
}

/**
 * Counts what is not settled: deliveries that wait for ingest, items, and sends.
 *
 * Each count reads what waits, by an index, and not the table.
 */
export function* waiting(): Steps<Waiting> {
  const row = yield* one<Waiting>(sql`
    SELECT (SELECT count(*) FROM pending) AS deliveries,
      (SELECT count(*) FROM items WHERE settled_at IS NULL) AS items,
      (SELECT count(*) FROM sends WHERE settled_at IS NULL) AS sends`)
  return row ?? { deliveries: 0, items: 0, sends: 0 }
}

/**
 * Wall time since which the message whose turn is next has waited to be handled; undefined if none waits that could
 * begin. A lane that somebody works on is passed over. It costs the same however much waits.
 *
 * Each look is one step into an index for each number, however much waits.
 */
export function* waitingSince(now: number): Steps<number | undefined> {
  const pending = yield* one<{ at: number }>(sql`
    SELECT received_at AS at FROM deliveries WHERE seq = (SELECT min(seq) FROM pending)`)
  const first = sql`${readyLanes('item')} AND number = numbers.number`
  const item = yield* one<{ at: number }>(sql`
    WITH RECURSIVE ${numbersWaiting('item')}
    SELECT created_at AS at FROM items
    WHERE lane = coalesce(
      (SELECT key FROM (
        SELECT (SELECT since FROM lanes WHERE ${first} ORDER BY since, key LIMIT 1) AS since,
          (SELECT key FROM lanes WHERE ${first} ORDER BY since, key LIMIT 1) AS key FROM numbers) AS firsts
      WHERE key IS NOT NULL ORDER BY since, key LIMIT 1),
      (SELECT key FROM lanes WHERE kind = 'item' AND ready_at > 0 AND ready_at <= ${now} ORDER BY ready_at LIMIT 1)
    ) AND settled_at IS NULL AND ready_at <= ${now} ORDER BY at, id LIMIT 1`)
  if (pending === undefined || item === undefined) return (pending ?? item)?.at
  return Math.min(pending.at, item.at)
}
