import type { LaneKind } from '../../port/index.ts'
import { type Query, sql } from '../steps.ts'

/** SQL condition for the lanes that are ready. `comeDue` has made their time 0, so that they stand together in the index. */
export function readyLanes(kind: LaneKind): Query {
  return sql`kind = ${kind} AND ready_at = 0`
}

/**
 * SQL for a recursive common table of the numbers that have a ready lane, by name, and at last NULL: one step into the
 * index for each, however much waits for one of them.
 */
export function numbersWaiting(kind: LaneKind): Query {
  const lanes = readyLanes(kind)
  return sql`
    numbers(number) AS (
      SELECT number FROM (SELECT number FROM lanes WHERE ${lanes} ORDER BY number LIMIT 1) AS first
      UNION ALL
      SELECT (SELECT number FROM lanes WHERE ${lanes} AND number > numbers.number ORDER BY number LIMIT 1)
      FROM numbers WHERE number IS NOT NULL)`
}
