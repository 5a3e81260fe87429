import type { KeptFacts } from '../ingest/read-item.ts'
import { GiveUp, type Verdict } from '../routes/index.ts'
import type { Fence, Settlement, StartedItem } from '../stores/port/index.ts'
import { Effects, startAttempt } from './attempt-life.ts'
import { decideItem, redactError } from './failure.ts'
import { boundariesFor, createMiddlewareRunner } from './middleware.ts'
import { runEvent } from './run-event.ts'
import { errorContext, messageContext, runMessage } from './run-message.ts'
import type { AttemptDeps, RunningAttempt } from './types.ts'

export interface Attempt {
  readonly settlement: Promise<Settlement>
  /** The error that the attempt failed with, once it is settled as failed. */
  failure(): unknown
  /** The bot stops: the attempt is given back and does not count. */
  giveBack(): void
}

/** Runs the handlers of an item and decides its settlement. */
export function beginAttempt(item: StartedItem, fence: Fence, deps: AttemptDeps): Attempt {
  const stopping = new AbortController()
  const running: RunningAttempt = {
    item,
    fence,
    clock: startAttempt(deps.limits.deadlineMs, deps.timers, deps.clock.wall, stopping.signal),
    stopping: stopping.signal,
    facts: JSON.parse(item.facts) as KeptFacts,
    effects: new Effects(),
    onces: new Map(),
    session: undefined,
    boundaries: deps.routes.boundaries,
    errorBoundaries: new Map(),
    completedHandlers: [...item.completedHandlers],
  }
  return {
    settlement: settle(running, deps),
    failure: () => running.failure,
    giveBack: () => stopping.abort(),
  }
}

/** An orderly stop gives the attempt back, whatever the handlers made of being cut off. */
async function settle(running: RunningAttempt, deps: AttemptDeps): Promise<Settlement> {
  const settlement = await runAndDecide(running, deps)
  const cutOff = running.stopping.aborted && settlement.as !== 'done' && settlement.as !== 'ignored'
  return cutOff ? { as: 'released', completedHandlers: running.completedHandlers } : settlement
}

const NEVER_SETTLED = 'the process ended during each of its attempts'

async function runAndDecide(running: RunningAttempt, deps: AttemptDeps): Promise<Settlement> {
  const { item, clock } = running
  // Attempts are counted before they run, so an item that brings the process down time and again is given up too. The
  // app's error handlers are called for it once; if they end the process too, they are not called again.
  if (item.attempt > deps.limits.max + 1) return { as: 'dead', reason: NEVER_SETTLED }
  if (item.attempt > deps.limits.max) return settleFailed(new GiveUp(NEVER_SETTLED), running, deps)
  try {
    const handling = run(running, deps)
    // If the deadline wins the race, it no longer matters how the handlers end.
    handling.catch(() => {})
    return await Promise.race([handling, clock.over])
  } catch (error) {
    running.failure = error
    return settleFailed(error, running, deps)
  } finally {
    clock.finish()
  }
}

async function run(running: RunningAttempt, deps: AttemptDeps): Promise<Settlement> {
  if (running.item.kind === 'message') {
    if (!(await runMessage(running, deps))) return { as: 'ignored' }
    return { as: 'done', session: running.session?.changes(deps.clock.service()) }
  }
  const ran = await runEvent(running, deps)
  if (ran === 'unheard') return { as: 'ignored' }
  if (ran === 'handled') return { as: 'done', session: undefined }
  return { as: 'released', completedHandlers: running.completedHandlers, at: ran.retryAt }
}

/** After a failed attempt `onError` may decide; if the item is given up, `onDead` may tell the customer. */
async function settleFailed(error: unknown, failed: RunningAttempt, deps: AttemptDeps): Promise<Settlement> {
  const verdict = await afterwards(failed, deps, 'onError', (running) => callErrorHandlers(error, running, deps))
  const settlement = decideItem(
    error,
    { ...failed.item, completedHandlers: failed.completedHandlers },
    { limits: deps.limits, random: deps.random, now: deps.clock.wall(), verdict },
  )
  if (settlement.as === 'dead' && failed.item.kind === 'message')
    await afterwards(failed, deps, 'onDead', (running) => callDeadHandlers(error, running, deps))
  return settlement
}

/** From the boundary of the failed route outwards; the first handler that returns a verdict decides. */
async function callErrorHandlers(error: unknown, running: RunningAttempt, deps: AttemptDeps): Promise<Verdict> {
  for (const { id, handler } of boundariesFor(running, error).flatMap(({ errorHandlers }) => errorHandlers)) {
    const verdict = await isolated(id, running, deps, () => handler(error, errorContext(id, running, deps)))
    if (verdict === 'retry' || verdict === 'dead') return verdict
  }
  return undefined
}

/**
 * Runs before the item is settled. If the process dies meanwhile, the handlers run again, and their replies, which have
 * slots of their own, are still sent once.
 */
async function callDeadHandlers(error: unknown, running: RunningAttempt, deps: AttemptDeps): Promise<undefined> {
  const contextFor = await messageContext(running, deps)
  const runBehind = createMiddlewareRunner(running, deps.routes.layerInfo, (id) => contextFor(id))
  for (const { layers, deadHandlers } of boundariesFor(running, error))
    for (const { id, handler } of deadHandlers)
      await isolated(id, running, deps, () =>
        runBehind(
          layers,
          async (vars) => void (await handler(error, Object.assign(contextFor(id), vars))),
          async () => {},
        ),
      )
  return undefined
}

/** If one of these handlers fails itself, the handlers around it are called all the same. */
async function isolated<T>(
  handler: string,
  running: RunningAttempt,
  deps: AttemptDeps,
  call: () => T | Promise<T>,
): Promise<T | undefined> {
  let answer: T | undefined
  try {
    answer = await call()
    await running.effects.ended()
  } catch (problem) {
    if (running.clock.signal.aborted) throw problem
    logHandlerFailure(problem, running, deps, handler)
  }
  return answer
}

/** The handlers that run after an attempt share a deadline of their own, and nothing depends on their success. */
async function afterwards<T>(
  failed: RunningAttempt,
  deps: AttemptDeps,
  name: string,
  call: (running: RunningAttempt) => Promise<T>,
): Promise<T | undefined> {
  if (failed.stopping.aborted) return undefined
  const clock = startAttempt(deps.limits.deadlineMs, deps.timers, deps.clock.wall, failed.stopping)
  try {
    const calling = call({ ...failed, clock, effects: new Effects() })
    calling.catch(() => {})
    return await Promise.race([calling, clock.over])
  } catch (problem) {
    // Cut off by the stop: the handlers run again with the attempt that is given back.
    if (failed.stopping.aborted) return undefined
    logHandlerFailure(problem, failed, deps, name)
    return undefined
  } finally {
    clock.finish()
  }
}

function logHandlerFailure(problem: unknown, { item }: RunningAttempt, deps: AttemptDeps, handler: string): void {
  deps.log.error(
    { err: redactError(problem, item), delivery: item.delivery.deliveryId },
    `the handler ${handler} failed itself`,
  )
}
