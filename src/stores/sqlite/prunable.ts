import type { Pruned, Pruning } from '../port/index.ts'
import type { Sql } from './connection.ts'
import { AT_REST_SINCE } from './prune-bytes.ts'
import { NOT_NEEDED } from './prune-rows.ts'

const BYTES = `
  SELECT count(*) AS n FROM deliveries d WHERE body_place IS NOT NULL AND received_at < ? AND ${AT_REST_SINCE}`
// A delivery that has its bytes still loses them first, in the same pass.
const ROWS = `SELECT count(*) AS n FROM deliveries d WHERE received_at < ? AND ${NOT_NEEDED}`

/** See `Store.prunable`. */
export function prunable(
  sql: Sql,
  { bytesBefore, idsBefore }: Pick<Pruning, 'bytesBefore' | 'idsBefore'>,
): Pick<Pruned, 'wiped' | 'removed'> {
  const count = (query: string, ...times: number[]) => (sql(query).get(...times) as { n: number }).n
  return {
    wiped: count(BYTES, bytesBefore, bytesBefore),
    removed: count(ROWS, idsBefore, idsBefore, idsBefore),
  }
}
