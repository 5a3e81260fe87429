import type { Settlement } from '../stores/port/index.ts'
import { startAttempt } from './attempt-clock.ts'
import { Effects } from './effects.ts'
import { decideItem } from './failure.ts'
import { redactError } from './redact-error.ts'
import { errorContext, messageContext, messageOf } from './make-context.ts'
import type { AttemptDeps, RunningAttempt } from './types.ts'
import type { Verdict } from '../routes/index.ts'
import { createMiddlewareRunner } from './middleware.ts'
import { boundariesFor } from './error-boundary.ts'

/** A failed attempt: the app hears of it and may decide; where the item is given up, it may tell the customer. */
export async function failed(error: unknown, failing: RunningAttempt, room: AttemptDeps): Promise<Settlement> {
  const verdict = await afterwards(failing, room, 'onError', (running) => askApp(error, running, room))
  const settlement = decideItem(
    error,
    { ...failing.item, completedHandlers: failing.completedHandlers },
    { limits: room.limits, random: room.random, now: room.clock.wall(), verdict },
  )
  if (settlement.as === 'dead' && failing.item.kind === 'message')
    await afterwards(failing, room, 'onDead', (running) => tellOfDeath(error, running, room))
  return settlement
}

/** From the routes that failed outwards; the first handler that decides, decides. */
async function askApp(error: unknown, running: RunningAttempt, room: AttemptDeps): Promise<Verdict> {
  for (const { id, handler } of boundariesFor(running, error).flatMap(({ errorHandlers }) => errorHandlers)) {
    const verdict = await alone(id, running, room, () => handler(error, errorContext(id, running, room)))
    if (verdict === 'retry' || verdict === 'dead') return verdict
  }
  return undefined
}

/**
 * Before the item is settled: where the process dies meanwhile it runs again, and its replies, which have a slot of
 * their own, are still sent once.
 */
async function tellOfDeath(error: unknown, running: RunningAttempt, room: AttemptDeps): Promise<undefined> {
  const contextFor = await messageContext(running, room, messageOf(running.facts, running.item.at))
  const through = createMiddlewareRunner(running, (layer) => {
    const { id, boundaries } = room.routes.standing(layer)
    return { context: contextFor(id, {}), boundaries }
  })
  for (const { layers, deadHandlers } of boundariesFor(running, error))
    for (const { id, handler } of deadHandlers)
      await alone(id, running, room, () =>
        through(
          layers,
          async (vars) => void (await handler(error, Object.assign(contextFor(id, {}), vars))),
          async () => {},
        ),
      )
  return undefined
}

/** Where one of these handlers fails itself, those around it are asked all the same. */
async function alone<T>(
  handler: string,
  running: RunningAttempt,
  room: AttemptDeps,
  run: () => T | Promise<T>,
): Promise<T | undefined> {
  let answer: T | undefined
  try {
    answer = await run()
    await running.effects.ended()
  } catch (problem) {
    if (running.clock.signal.aborted) throw problem
    tell(problem, running, room, handler)
  }
  return answer
}

/** What comes after an attempt has a deadline of its own, and where it fails, nothing depends on it. */
async function afterwards<T>(
  failing: RunningAttempt,
  room: AttemptDeps,
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
    tell(problem, failing, room, name)
    return undefined
  } finally {
    clock.finish()
  }
}

function tell(problem: unknown, { item }: RunningAttempt, room: AttemptDeps, handler: string): void {
  room.log.error(
    { err: redactError(problem, item), delivery: item.delivery.deliveryId },
    `the handler ${handler} failed itself`,
  )
}
