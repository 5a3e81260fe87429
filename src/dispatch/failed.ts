import type { Settlement } from '../stores/port/index.ts'
import { startAttempt } from './attempt-clock.ts'
import { Effects } from './effects.ts'
import { settlementOf } from './failure.ts'
import { errorContext, messageContext, messageOf } from './make-context.ts'
import type { AttemptRoom, RunningAttempt } from './running.ts'
import type { Verdict } from '../routes/index.ts'
import { createPassage } from './passage.ts'

/** A failed attempt: the app hears of it and may decide; where the item is given up, it may tell the customer. */
export async function failed(error: unknown, failing: RunningAttempt, room: AttemptRoom): Promise<Settlement> {
  const verdict = await afterwards(failing, room, 'onError', (running) => askApp(error, running, room))
  const settlement = settlementOf(
    error,
    { ...failing.item, finished: failing.finished },
    { limits: room.limits, random: room.random, now: room.clock.wall(), verdict },
  )
  if (settlement.as === 'dead' && failing.item.kind === 'message')
    await afterwards(failing, room, 'onDead', (running) => tellOfDeath(error, running, room))
  return settlement
}

/** From the routes that failed outwards; the first handler that decides, decides. */
async function askApp(error: unknown, running: RunningAttempt, room: AttemptRoom): Promise<Verdict> {
  for (const handler of running.boundaries.flatMap(({ errorHandlers }) => errorHandlers)) {
    const verdict = await handler(error, errorContext(running, room))
    if (verdict === 'retry' || verdict === 'dead') return verdict
  }
  return undefined
}

/**
 * Before the item is settled: where the process dies meanwhile it runs again, and its replies, which have a slot of
 * their own, are still sent once.
 */
async function tellOfDeath(error: unknown, running: RunningAttempt, room: AttemptRoom): Promise<undefined> {
  const contextFor = await messageContext(running, room, messageOf(running.facts, running.item.at))
  const through = createPassage((layer) => contextFor(room.routes.layerId(layer), {}))
  for (const { layers, deadHandlers } of running.boundaries)
    for (const { id, handler } of deadHandlers)
      await through(
        layers,
        async (vars) => void (await handler(error, Object.assign(contextFor(id, {}), vars))),
        async () => {},
      )
  await running.effects.ended()
  return undefined
}

/** What comes after an attempt has a deadline of its own, and where it fails, nothing depends on it. */
async function afterwards<T>(
  failing: RunningAttempt,
  room: AttemptRoom,
  name: string,
  run: (running: RunningAttempt) => Promise<T>,
): Promise<T | undefined> {
  if (failing.stopping.aborted) return undefined
  const clock = startAttempt(room.limits.deadlineMs, room.timers, room.clock.wall, failing.stopping)
  try {
    const told = run({ ...failing, clock, effects: new Effects() })
    told.catch(() => {})
    return await Promise.race([told, clock.over])
  } catch (problem) {
    // Cut off by the stop, it runs again with the attempt that is given back.
    if (failing.stopping.aborted) return undefined
    room.log.error({ err: problem, delivery: failing.item.delivery.deliveryId }, `an ${name} handler failed itself`)
    return undefined
  } finally {
    clock.finish()
  }
}
