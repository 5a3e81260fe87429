import type { Fence, Settlement, StartedItem } from '../stores/port/index.ts'
import { startAttempt } from './attempt-clock.ts'
import { Effects } from './effects.ts'
import { failed } from './failed.ts'
import { runEvent } from './run-event.ts'
import { runMessage } from './run-message.ts'
import type { AttemptDeps, RunningAttempt } from './types.ts'
import type { KeptFacts } from '../ingest/read-item.ts'
import { GiveUp, TooEarly } from '../routes/index.ts'

const NEVER_SETTLED = 'the process ended during each of its attempts'

export interface Attempt {
  readonly settlement: Promise<Settlement>
  /** What it failed with, once it is settled as failed. */
  failure(): unknown
  /** The bot stops: the attempt is given back and does not count. */
  giveBack(): void
}

/** Runs the handlers of an item and says what became of it. */
export function beginAttempt(item: StartedItem, fence: Fence, room: AttemptDeps): Attempt {
  const stopping = new AbortController()
  const clock = startAttempt(room.limits.deadlineMs, room.timers, room.clock.wall, stopping.signal)
  const running: RunningAttempt = {
    item,
    fence,
    clock,
    stopping: stopping.signal,
    facts: JSON.parse(item.facts) as KeptFacts,
    effects: new Effects(),
    onces: new Map(),
    session: undefined,
    boundaries: room.routes.boundaries,
    errorBoundaries: new Map(),
    completedHandlers: [...item.completedHandlers],
  }
  return {
    settlement: settle(running, room),
    failure: () => running.failure,
    giveBack: () => stopping.abort(),
  }
}

/** An orderly stop in any part of it gives the attempt back, whatever the handlers made of being cut off. */
async function settle(running: RunningAttempt, room: AttemptDeps): Promise<Settlement> {
  const settlement = await outcome(running, room)
  const gone = running.stopping.aborted && settlement.as !== 'done' && settlement.as !== 'ignored'
  return gone ? { as: 'released', completedHandlers: running.completedHandlers } : settlement
}

async function outcome(running: RunningAttempt, room: AttemptDeps): Promise<Settlement> {
  const { item, clock } = running
  // Counted before each run: what brings the process down time and again is given up too.
  // The app is asked once more; where that ends the process too, it is not asked again.
  if (item.attempt > room.limits.max + 1) return { as: 'dead', reason: NEVER_SETTLED }
  if (item.attempt > room.limits.max) return failed(new GiveUp(NEVER_SETTLED), running, room)
  try {
    const handled = item.kind === 'message' ? runMessage(running, room) : runEvent(running, room)
    // Where the deadline wins the race, what the handler does afterwards is nobody's business any more.
    handled.catch(() => {})
    if (!(await Promise.race([handled, clock.over]))) return { as: 'ignored' }
    return { as: 'done', session: running.session?.changes(room.clock.service()) }
  } catch (error) {
    if (error instanceof TooEarly)
      return { as: 'released', completedHandlers: running.completedHandlers, at: later(item, room, error.waitMs) }
    running.failure = error
    return failed(error, running, room)
  } finally {
    clock.finish()
  }
}

const SHORTEST_MS = 200
const LONGEST_MS = 30_000

/** The longer it has waited, the longer it waits, where nobody knows how long. */
function later({ createdAt }: StartedItem, room: AttemptDeps, waitMs: number | undefined): number {
  const now = room.clock.wall()
  return now + Math.min(LONGEST_MS, Math.max(SHORTEST_MS, waitMs ?? now - createdAt))
}
