import { EFFECTS } from '../database/effects-of-features.ts'
import { BY_STATE } from '../outbox/rows.ts'
import { joined, type Query, sql } from '../database/sql.ts'
import { all, type Steps, MOST_COUNTED } from '../database/steps.ts'
import { heldByStops } from './overview.ts'
import { inbox, work } from '../database/inbox-tables.ts'
import { sends } from '../database/outbox-tables.ts'

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
  yield* count('customers', sql`number FROM (${waiting(serviceNow)}) AS waiting`)
  return found
}

const NOBODY = sql`SELECT '' AS number, 0 AS since WHERE false`

/** Selects the customers who wait for a person. */
function waiting(serviceNow: number): Query {
  return joined([NOBODY, ...EFFECTS.flatMap(({ waitsForPerson }) => waitsForPerson?.(serviceNow) ?? [])], ' UNION ALL ')
}

/** Lists customers who wait for a person, the oldest wait first. */
export function* whoWait(serviceNow: number, limit: number) {
  return yield* all<{ readonly number: string; readonly since: number }>(sql`
    ${waiting(serviceNow)} ORDER BY since LIMIT ${limit}`)
}

/** Counts the customers of each number who wait for a person. */
export function* countWaiting(serviceNow: number) {
  return yield* all<{ readonly number: string; readonly n: number }>(sql`
    SELECT number, count(*) AS n FROM (${waiting(serviceNow)}) AS waiting GROUP BY number ORDER BY number`)
}
