import { iso } from '../../view/delivery-view.ts'
import { healthOfFeatures, seenHealth } from '../features.ts'
import { isSeenWithin, type Scope } from '../scope.ts'
import { remedyFor } from '../../view/send-states.ts'
import type { ViewDeps } from '../query.ts'
import type { ClosedThrottle } from '../../store/outbox/send-rules.ts'

/** Some counts end at 10,000: see `MOST_COUNTED`. */
export async function readHealth(deps: ViewDeps, scope: Scope) {
  const { store, clock } = deps.desk
  const now = clock.wall()
  const [{ newest, ...counts }, waiting, since, throttles, failuresInARow, ofFeatures, waits] = await Promise.all([
    store.overview(),
    store.waiting(),
    store.waitingSince(now),
    store.closedThrottles(now),
    deps.failuresInARow(),
    healthOfFeatures(deps),
    store.countWaiting(clock.service()),
  ])
  const isSeen = isSeenWithin(scope)
  const throttled = throttles.map(throttleView)
  const health = {
    ...counts,
    /** How many customers wait for a person, on the numbers that the page's user may see. */
    customersWaiting: waits.filter(isSeen).reduce((sum, { n }) => sum + n, 0),
    waiting,
    lagMs: since === undefined ? 0 : Math.max(0, now - since),
    throttled: throttled.filter(isSeen),
    restoredHeld: store.restored?.held,
    failuresInARow,
    ...seenHealth(ofFeatures, scope),
  }
  // The mark changes if a row is added or a count changes. It is a hash, because the user may not see all these counts.
  return {
    health,
    mark: deps.handles.tokenOf([newest, counts, waiting, throttled, ofFeatures, waits]),
  }
}

function throttleView(throttle: ClosedThrottle) {
  const { number, stopped, since, closedUntil, code } = throttle
  return {
    number,
    stopped,
    since: new Date(since).toISOString(),
    until: stopped ? undefined : iso(closedUntil),
    code,
    toDo: remedyFor(throttle),
  }
}
