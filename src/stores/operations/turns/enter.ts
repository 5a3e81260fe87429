import type { Fence, NewEntry } from '../../port/index.ts'
import { deliverOwn } from '../items/own-deliveries.ts'
import { customerLane, holdsLane } from '../lanes/lanes.ts'
import type { Steps, Tx } from '../steps.ts'

/** Keeps a wish to enter a conversation as an item of its own: see `Store.recordEntry`. */
export function* recordEntry(tx: Tx, entry: NewEntry, now: number, fence?: Fence): Steps<boolean> {
  if (fence && !(yield* holdsLane(fence))) return false
  const { number, customer, key, at, ...says } = entry
  const own = {
    kind: 'enter',
    id: key,
    once: true,
    says: JSON.stringify(says),
    number,
    customer,
    lane: customerLane(entry),
    at,
    cause: () => `enter:${key}`,
  } as const
  yield* deliverOwn(tx, own, now)
  return true
}
