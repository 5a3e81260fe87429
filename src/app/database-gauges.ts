import type { DatabaseGauges } from '../receive/bot-internals.ts'
import type { Store } from '../stores/port/index.ts'

/** @throws SwitchhookError `store_unavailable` if the database cannot be read. */
export async function databaseGauges(
  store: Pick<Store, 'waiting' | 'waitingSince' | 'closedThrottles'>,
  now: number,
): Promise<DatabaseGauges> {
  const [waiting, since, throttles] = await Promise.all([
    store.waiting(),
    store.waitingSince(now),
    store.closedThrottles(now),
  ])
  const stopped = throttles.filter((throttle) => throttle.stopped).length
  return {
    waiting,
    waitedMs: since === undefined ? 0 : Math.max(0, now - since),
    throttled: { stopped, paused: throttles.length - stopped },
  }
}
