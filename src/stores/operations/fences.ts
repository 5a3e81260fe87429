import type { Fence } from '../port/index.ts'
import { one, sql, type Steps } from './steps.ts'

/** The fence still stands: nobody has taken the lane since. */
export function* holdsLane({ lane, owner, token }: Fence): Steps<boolean> {
  const held = yield* one(sql`SELECT 1 FROM lanes WHERE key = ${lane} AND owner = ${owner} AND token = ${token}`)
  return held !== undefined
}
