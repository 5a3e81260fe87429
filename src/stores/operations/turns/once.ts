import type { Fence } from '../../port/index.ts'
import { holdsLane } from '../lanes/lanes.ts'
import { one, run, sql, type Steps } from '../steps.ts'

/** The result that an effect of this name had in an earlier run: see `Store.onceResult`. */
export function* onceResult(item: number, name: string): Steps<string | undefined> {
  const kept = yield* one<{ result: string }>(sql`
    SELECT result FROM once_results WHERE item = ${item} AND name = ${name}`)
  return kept?.result
}

/** Stores an effect's result: see `Store.keepOnce`. */
export function* keepOnce(fence: Fence, item: number, name: string, result: string): Steps<boolean> {
  if (!(yield* holdsLane(fence))) return false
  yield* run(sql`
    INSERT INTO once_results (item, name, result) VALUES (${item}, ${name}, ${result}) ON CONFLICT DO NOTHING`)
  return true
}
