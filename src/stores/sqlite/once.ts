import type { Fence } from '../port/index.ts'
import type { Sql } from './connection.ts'
import type { Tx } from './group-commit.ts'
import { holdsLane } from './lanes.ts'

const RESULT = 'SELECT result FROM once_results WHERE item = ? AND name = ?'

/** The result that an effect of this name had in an earlier run: see `Store.onceResult`. */
export function onceResult(sql: Sql, item: number, name: string): string | undefined {
  return (sql(RESULT).get(item, name) as { result: string } | undefined)?.result
}

const KEEP = 'INSERT INTO once_results (item, name, result) VALUES (?, ?, ?) ON CONFLICT DO NOTHING'

/** Stores an effect's result: see `Store.keepOnce`. */
export function keepOnce(tx: Tx, fence: Fence, item: number, name: string, result: string): boolean {
  if (!holdsLane(tx, fence)) return false
  tx.sql(KEEP).run(item, name, result)
  return true
}
