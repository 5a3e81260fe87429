import { BY_STATE } from '../outbox/rows.ts'
import { type Query, sql } from '../statements/sql.ts'
import { all, type Steps, MOST_COUNTED } from '../steps.ts'
import { whoWait } from '../people.ts'
import { heldByStops } from './overview.ts'
import { inbox, work } from '../tables/inbox-tables.ts'
import { sends } from '../tables/outbox-tables.ts'

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
  const customers = Map.groupBy(yield* whoWait(serviceNow, MOST_COUNTED), ({ number }) => number)
  for (const [number, rows] of customers) found.push({ what: 'customers', number, count: rows.length })
  return found
}
