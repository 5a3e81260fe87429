import type { CustomerOfNumber, EndedTurn, Fence, SessionWrite } from '../../port/index.ts'
import { putSession } from '../items/customers.ts'
import { customerLane, holdsLane, makeHeldLane, nextItemAt, releaseLane } from '../lanes/lanes.ts'
import { one, sql, type Steps, type Tx } from '../steps.ts'

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
): Steps<EndedTurn> {
  if (!(yield* holdsLane(fence))) return { held: false, waits: false }
  if (write) yield* putSession(who, write)
  const nextAt = yield* nextItemAt(fence.lane, now)
  yield* releaseLane(fence.lane, nextAt, now)
  if (nextAt !== undefined) tx.wake('items')
  return { held: true, waits: nextAt !== undefined && nextAt <= now }
}
