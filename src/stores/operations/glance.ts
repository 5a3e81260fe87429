import type { CustomerOfNumber, Glance, SendRow, TimerPage, TimerRow } from '../port/index.ts'
import { INDEXED_ITEM, INDEXED_SEND } from './by-state.ts'
import { inLanesOf } from './lanes.ts'
import { sendsOf } from './sends.ts'
import { all, one, type Query, sql, type Steps, when } from './steps.ts'
import { stoppedThrottles } from './throttles.ts'

type Counted = Readonly<Record<string, number>>

/** See `Store.glance`. */
export function* glance(): Steps<Glance> {
  const newest = yield* one<Glance['newest']>(sql`
    SELECT (SELECT coalesce(max(seq), 0) FROM deliveries) AS deliveries,
      (SELECT coalesce(max(seq), 0) FROM sends) AS sends, (SELECT coalesce(max(seq), 0) FROM acts) AS acts`)
  const items = yield* countOf(sql`items WHERE ${INDEXED_ITEM} AND state IN ('dead', 'parked')`)
  const unread = yield* countOf(sql`
    deliveries WHERE state <> 'stored' AND state IN ('quarantined', 'conflict', 'suspected_replay')`)
  const sends = yield* countOf(sql`sends WHERE ${INDEXED_SEND} AND state IN ('scheduled', 'held', 'unknown')`)
  const others = yield* one<Record<'conversations' | 'timers', number>>(sql`
    SELECT (SELECT count(*) FROM conversations WHERE state = 'open') AS conversations,
      (SELECT count(*) FROM timers) AS timers`)
  const { conversations = 0, timers = 0 } = others ?? {}
  const of = (counted: Counted, state: string) => counted[state] ?? 0
  return {
    newest: newest ?? { deliveries: 0, sends: 0, acts: 0 },
    resting: {
      dead: of(items, 'dead'),
      parked: of(items, 'parked'),
      quarantined: of(unread, 'quarantined'),
      conflict: of(unread, 'conflict'),
      suspected_replay: of(unread, 'suspected_replay'),
    },
    sends: {
      scheduled: of(sends, 'scheduled'),
      held: of(sends, 'held') + (yield* heldByThrottles()),
      unknown: of(sends, 'unknown'),
    },
    conversations,
    timers,
  }
}

function* countOf(rows: Query): Steps<Counted> {
  const counts = yield* all<{ state: string; n: number }>(sql`SELECT state, count(*) AS n FROM ${rows} GROUP BY state`)
  return Object.fromEntries(counts.map(({ state, n }) => [state, n]))
}

function* heldByThrottles(): Steps<number> {
  let held = 0
  for (const { number } of yield* stoppedThrottles()) {
    const counted = yield* one<{ n: number }>(sql`
      SELECT count(*) AS n FROM sends
      WHERE ${inLanesOf(number)} AND settled_at IS NULL AND state = 'ready' AND withheld = 0`)
    held += counted?.n ?? 0
  }
  return held
}

const TIMER = sql`SELECT number, customer, kind, name, due_at AS "dueAt" FROM timers`

/** See `Store.listTimers`. */
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

/** See `Store.timersOf`. */
export function* timersOf({ number, customer }: CustomerOfNumber): Steps<readonly TimerRow[]> {
  return yield* all<TimerRow>(sql`
    ${TIMER} WHERE number = ${number} AND customer = ${customer} ORDER BY due_at, kind, name`)
}

/** See `Store.scheduledSends`. */
export function* scheduledSends({
  number,
  limit,
  after,
}: {
  readonly number?: string
  readonly limit: number
  readonly after?: { readonly dueAt: number; readonly id: string }
}): Steps<readonly SendRow[]> {
  return yield* sendsOf(sql`
    state = 'scheduled'
      ${when(number !== undefined, () => sql`AND number = ${number}`)}
      ${when(
        after !== undefined,
        () => sql`AND due_at >= ${after?.dueAt} AND (due_at, id) > (${after?.dueAt}, ${after?.id})`,
      )}
    ORDER BY due_at, id LIMIT ${limit}`)
}

/** See `Store.sendsWithRef`. */
export function* sendsWithRef(ref: string, limit: number): Steps<readonly SendRow[]> {
  return yield* sendsOf(sql`ref = ${ref} ORDER BY seq DESC LIMIT ${limit}`)
}
