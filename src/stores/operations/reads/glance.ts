import {
  type CustomerOfNumber,
  type Glance,
  MOST_COUNTED,
  type SendRow,
  type Store,
  type TimerPage,
  type TimerRow,
} from '../../port/index.ts'
import { inLanesOf } from '../lanes/lanes.ts'
import { INDEXED_ITEM, INDEXED_SEND } from '../sends/by-state.ts'
import { sendsOf } from '../sends/sends.ts'
import { stoppedThrottles } from '../sends/throttles.ts'
import { all, one, type Query, sql, type Steps, when } from '../steps.ts'

/** See `Store.glance`. */
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

/** See `Store.listTimers`. */
export function* listTimers({ number, limit, after }: Parameters<Store['listTimers']>[0]): Steps<TimerPage> {
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
}: Parameters<Store['scheduledSends']>[0]): Steps<readonly SendRow[]> {
  const { dueAt = 0, id = '' } = after ?? {}
  return yield* sendsOf(sql`
    state = 'scheduled' AND due_at >= ${dueAt} AND (due_at, id) > (${dueAt}, ${id})
      ${when(number !== undefined, () => sql`AND number = ${number}`)}
    ORDER BY due_at, id LIMIT ${limit}`)
}

/** See `Store.sendsWithRef`. */
export function* sendsWithRef(ref: string, limit: number): Steps<readonly SendRow[]> {
  return yield* sendsOf(sql`ref = ${ref} ORDER BY seq DESC LIMIT ${limit}`)
}
