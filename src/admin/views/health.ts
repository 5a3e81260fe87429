import { iso } from '../../inspect/iso.ts'
import { remedyFor } from '../../inspect/send-states.ts'
import type { ClosedThrottle, Waiting } from '../../stores/port/index.ts'
import type { Change, Health, ThrottleView } from '../api.ts'
import type { ViewDeps } from '../view.ts'

export type Look = Awaited<ReturnType<typeof lookAt>>

/** `GET api/health`, with what tells whether anything else has changed. */
export async function lookAt(deps: ViewDeps) {
  const { store, clock } = deps.desk
  const now = clock.wall()
  const [glance, waiting, since, throttles, gauges] = await Promise.all([
    store.glance(),
    store.waiting(),
    store.waitingSince(now),
    store.closedThrottles(now),
    deps.gauges(),
  ])
  const { plotter, role } = deps
  const restored = store.restored?.held
  const health: Health = {
    at: new Date(now).toISOString(),
    waiting,
    lagMs: since === undefined ? 0 : Math.max(0, now - since),
    resting: glance.resting,
    sends: glance.sends,
    conversations: glance.conversations,
    throttled: throttles.map(throttleView),
    ...(restored !== undefined && { restoredHeld: restored }),
    process: {
      role,
      since: new Date(plotter.since).toISOString(),
      perMinute: plotter.perMinute(),
      failuresInARow: gauges?.failuresInARow ?? 0,
      lanes: gauges?.lanes ?? { items: 0, sends: 0 },
      plot: plotter.plot(),
    },
  }
  return { health, glance }
}

function throttleView(throttle: ClosedThrottle): ThrottleView {
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

type List = Change['changed'][number]

/** The lists that may show something else than at the look before; all of them at the first one. */
export function changedSince(before: Look | undefined, now: Look): List[] {
  const is = marksOf(now)
  const was = before && marksOf(before)
  return (Object.keys(is) as List[]).filter((list) => was?.[list] !== is[list])
}

/**
 * Nothing changes without one of these numbers: what comes is newest, and what moves leaves one count for another. Steps of
 * conversations are taken by items as they are handled, and a person's acts end conversations.
 */
function marksOf({ glance, health }: Look): Record<List, string> {
  const { newest, resting, sends, conversations, timers } = glance
  const waiting: Waiting = health.waiting
  const steps = [newest.deliveries, newest.acts, waiting.deliveries, waiting.items]
  return {
    deliveries: JSON.stringify([newest.deliveries, waiting.deliveries, waiting.items, resting]),
    sends: JSON.stringify([newest.sends, waiting.sends, sends, health.throttled]),
    conversations: JSON.stringify([conversations, steps]),
    timers: JSON.stringify([timers, steps]),
    acts: String(newest.acts),
  }
}
