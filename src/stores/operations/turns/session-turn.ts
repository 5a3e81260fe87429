import type { CustomerOfNumber, Fence, SessionWrite } from '../../port/index.ts'
import { putSession } from '../items/customers.ts'
import { customerLane, holdsLane, makeHeldLane } from '../lanes/lanes.ts'
import { one, sql, type Steps, type Tx } from '../steps.ts'
import { nextOrRelease } from './item-turns.ts'

/** See `Store.takeTurn`. */
export function* takeTurn(
  tx: Tx,
  who: CustomerOfNumber,
  { owner, now, leaseMs }: { readonly owner: string; readonly now: number; readonly leaseMs: number },
): Steps<Fence | undefined> {
  const lane = customerLane(who)
  const busy = yield* one(sql`SELECT 1 FROM lanes WHERE key = ${lane} AND (owner IS NOT NULL OR blocked_until > 0)`)
  if (busy) return undefined
  return yield* makeHeldLane(lane, 'item', { owner, until: now + tx.waitedMs + leaseMs, now })
}

/** See `Store.endTurn`. */
export function* endTurn(
  tx: Tx,
  fence: Fence,
  who: CustomerOfNumber,
  write: SessionWrite | undefined,
  now: number,
): Steps<boolean> {
  if (!(yield* holdsLane(fence))) return false
  if (write) yield* putSession(who, write)
  yield* nextOrRelease(tx, fence.lane, 0, { now, goOn: false })
  return true
}
