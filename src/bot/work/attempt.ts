import { isA } from '../../base/errors.ts'
import type { KeptFacts } from '../inbox/read-delivery.ts'
import { GiveUp, type Verdict } from '../routes/routes.ts'
import { isGivenBack } from '../../store/work/item-rules.ts'
import type { WaitingReason } from '../../store/database/store-effects.ts'
import { isInForce } from '../../store/database/silence.ts'
import { AttemptClock, Effects, type StopOrder } from './attempt-clock.ts'
import { BaseContext } from './context.ts'
import { decideItem, redact, redactedFrames, redactError } from './failure.ts'
import { createMiddlewareRunner, scopeOf, withVars } from './middleware.ts'
import { checkLease, LeaseLost, LeftToOthers, slotsOf } from './attempt-effects.ts'
import { runEvent } from './run-event.ts'
import { messageContexts, messagesOf, runMessage } from './run-message.ts'
import type { AttemptDeps, RunningAttempt } from './attempt-types.ts'
import type { Failure, StartedItem } from '../../store/work/items.ts'
import type { Fence } from '../../store/work/lanes.ts'
import type { Settlement } from '../../store/work/settle.ts'

/** @param o.stopped true if the attempt is released before its handlers start. */
export function beginAttempt(
  item: StartedItem,
  fence: Fence,
  deps: AttemptDeps,
  {
    facts,
    stopped,
    ...given
  }: Pick<RunningAttempt, 'trace' | 'keepLease' | 'reruns'> & {
    readonly facts: KeptFacts | undefined
    readonly stopped: boolean
  },
) {
  const stop: StopOrder = { given: stopped, end: () => {} }
  const running: RunningAttempt = {
    deps,
    item,
    fence,
    clock: new AttemptClock(deps.limits.deadlineMs, deps.timers, deps.clock.wall, stop),
    stop,
    facts: facts ?? (JSON.parse(item.facts) as KeptFacts),
    effects: new Effects(),
    ...given,
    scope: { boundaries: deps.routes.boundaries },
    completedHandlers: item.completedHandlers,
  }
  return {
    settlement: settlementOf(running),
    /** Complete once `settlement` has resolved. */
    outcome: () => ({ error: running.failure, route: running.route }),
    /** Ends the attempt because the bot stops. It does not count. */
    release() {
      stop.given = true
      stop.end()
    },
  }
}

const ENDED: ReadonlySet<Settlement['as']> = new Set(['done', 'ignored', 'rested'])

/** Decides how an attempt ends. An attempt that a stop has interrupted is released, unless its handlers came to their end. */
async function settlementOf(running: RunningAttempt): Promise<Settlement> {
  const settlement = running.stop.given ? undefined : await runAndDecide(running)
  if (settlement && (!running.stop.given || ENDED.has(settlement.as)))
    return { ...settlement, waits: waitsAfter(settlement, running) } as Settlement
  return released(running)
}

/** Returns why the customer waits for a person from now on: nobody else answers this message. */
function waitsAfter({ as }: Settlement, { item, ofPerson }: RunningAttempt): WaitingReason | undefined {
  if (item.kind !== 'message' || as === 'retry' || as === 'released') return undefined
  const isGivenUp = as === 'dead' || as === 'parked'
  if (ofPerson === 'unanswered' || (ofPerson && isGivenUp)) return 'wrote'
  return isGivenBack(item) && as !== 'done' ? 'unread' : undefined
}

/** More reruns mean that a handler changes its own session by `updateSession` each time. */
const MOST_RERUNS = 10
const CHANGED_EACH_TIME =
  'updateSession() changed the same key of the session as the handler, each time that it ran: change ctx.session in a handler'
const NEVER_SETTLED = 'the process ended during each of its attempts'

async function runAndDecide(running: RunningAttempt): Promise<Settlement> {
  const { item, clock } = running
  try {
    if (item.attempt > running.deps.limits.max) return await giveUp(running)
    if (running.reruns > MOST_RERUNS) throw new Error(CHANGED_EACH_TIME)
    return await clock.race(run(running))
  } catch (error) {
    if (isA(error, LeaseLost)) return released(running)
    // Block the lane: later messages must not go first in a process that has the script.
    if (isA(error, LeftToOthers)) return released(running, { afterMs: error.waitMs, blocksLane: true })
    running.failure = error
    return settleFailed(error, running)
  } finally {
    clock.finish()
  }
}

async function run(running: RunningAttempt): Promise<Settlement> {
  if (isOfCustomer(running)) {
    const ran = await runMessage(running)
    if (ran === 'handled') return done(running)
    return { as: ran === 'rested' ? ran : 'ignored' }
  }
  if (isOfOthersNow(running)) return released(running, { afterMs: LOOK_AGAIN_MS })
  const { entered } = running.deps
  if (entered?.kinds.has(running.item.kind)) {
    await entered.runItem(running)
    return done(running)
  }
  const ran = await runEvent(running)
  if (ran === 'unmatched') return { as: 'ignored' }
  if (ran === 'handled') return done(running)
  // Keep an event about the number's own message first in its lane, because replies wait for it.
  return released(running, { ...ran, blocksLane: running.item.kind === 'event' })
}

function isOfCustomer({ item: { kind } }: RunningAttempt): boolean {
  return kind === 'message' || kind === 'signal'
}

/** Tells whether a silence began after the timer had become due. */
function isOfOthersNow({ item, deps: { clock, entered } }: RunningAttempt): boolean {
  const waits = item.kind === 'window_closing' || entered?.kinds.get(item.kind)?.waits === true
  return waits && isInForce(item.silence, clock.service())
}

const LOOK_AGAIN_MS = 30_000

/** Ends an attempt that does not count. The item begins again at once, or after this time. */
function released(
  { completedHandlers, deps: { clock } }: RunningAttempt,
  again?: { readonly afterMs: number; readonly blocksLane?: boolean },
): Settlement {
  if (!again) return { as: 'released', completedHandlers }
  const { afterMs, ...more } = again
  return { as: 'released', completedHandlers, at: clock.wall() + afterMs, ...more }
}

function done({ session, changes, deps }: RunningAttempt): Settlement {
  return { as: 'done', session: session?.changes(deps.clock.service()), ...(changes && { changes }) }
}

/** Gives up an item that ends its process again and again. Error handlers may do so too, so they are called once. */
async function giveUp(running: RunningAttempt): Promise<Settlement> {
  const { entered, limits } = running.deps
  running.inScript = await entered?.concerned(running)
  if (running.item.attempt > limits.max + 1)
    return { as: 'dead', reason: NEVER_SETTLED, changes: entered?.changesOfFailed(running) }
  return settleFailed(new GiveUp(NEVER_SETTLED), running)
}

async function settleFailed(error: unknown, failed: RunningAttempt): Promise<Settlement> {
  const { deps } = failed
  const verdict = await afterwards(failed, 'onError', (running) => callErrorHandlers(error, running))
  const decided = decideItem(
    error,
    { ...failed.item, completedHandlers: failed.completedHandlers },
    {
      // If the clock may be ahead, each message seems old.
      limits: deps.lease.mayBeAhead() ? { ...deps.limits, withinMs: Infinity } : deps.limits,
      random: deps.random,
      now: deps.clock.wall(),
      verdict,
      redacted: (reason) => redact(reason, failed.item),
    },
  )
  const settlement = { ...decided, failure: failureOf(error, failed) }
  const { inScript, changes } = failed
  // Otherwise the script would get the next message in place of this answer.
  if (settlement.as === 'retry')
    return { ...settlement, blocksLane: settlement.blocksLane || Boolean(inScript ?? changes) }
  if (inScript)
    await afterwards(failed, 'onEnd', (running) =>
      isolated(`${inScript.compiled.id}:onEnd`, running, async () => deps.entered?.tellFailed(inScript, running)),
    )
  if (settlement.as === 'dead' && isOfCustomer(failed))
    await afterwards(failed, 'onDead', (running) => callDeadHandlers(error, running))
  return { ...settlement, changes: deps.entered?.changesOfFailed(failed) }
}

/** Undefined if no handler ran: the failure of the previous attempt stays stored. */
function failureOf(error: unknown, running: RunningAttempt): Failure | undefined {
  const { item } = running
  if (running.failure !== error) return undefined
  const { trace } = running
  return { attempt: item.attempt, route: scopeOf(running, error).id, frames: redactedFrames(error, item), trace }
}

/** Calls the handlers of the failed route's table, then those of the tables around it, until one returns a verdict. */
async function callErrorHandlers(error: unknown, running: RunningAttempt): Promise<Verdict> {
  for (const { id, handler } of scopeOf(running, error).boundaries.flatMap(({ errorHandlers }) => errorHandlers)) {
    const verdict = await isolated(id, running, () => handler(error, new BaseContext(slotsOf(id, running), running)))
    if (verdict === 'retry' || verdict === 'dead') return verdict
  }
  return undefined
}

async function callDeadHandlers(error: unknown, running: RunningAttempt): Promise<undefined> {
  const contextFor = await messageContexts(messagesOf(running), running)
  const runBehind = createMiddlewareRunner(running, running.deps.routes.layerInfo, contextFor)
  for (const { layers, deadHandlers } of scopeOf(running, error).boundaries)
    for (const { id, handler } of deadHandlers)
      await isolated(id, running, () =>
        runBehind(
          layers,
          async (vars) => void (await handler(error, withVars(contextFor(id), vars))),
          async () => {},
        ),
      )
  return undefined
}

/** Runs one error handler. If it fails itself, that is logged, and the next handlers are called. */
async function isolated<T>(
  handler: string,
  running: RunningAttempt,
  call: () => T | Promise<T>,
): Promise<T | undefined> {
  let result: T | undefined
  try {
    result = await call()
    await running.effects.ended()
  } catch (problem) {
    if (running.clock.isOver()) throw problem
    logHandlerFailure(problem, running, handler)
  }
  return result
}

/** Runs the handlers that follow a failed attempt, under another deadline. */
async function afterwards<T>(
  failed: RunningAttempt,
  name: string,
  call: (running: RunningAttempt) => Promise<T>,
): Promise<T | undefined> {
  if (failed.stop.given) return undefined
  const { deps } = failed
  const clock = new AttemptClock(deps.limits.deadlineMs, deps.timers, deps.clock.wall, failed.stop)
  try {
    const running = { ...failed, clock, effects: new Effects() }
    return await clock.race(checkLease(running).then(() => call(running)))
  } catch (problem) {
    // They run again after the next attempt.
    if (failed.stop.given || isA(problem, LeaseLost)) return undefined
    logHandlerFailure(problem, failed, name)
    return undefined
  } finally {
    clock.finish()
  }
}

function logHandlerFailure(problem: unknown, { item, deps }: RunningAttempt, handler: string): void {
  deps.log.error(
    { err: redactError(problem, item), delivery: item.delivery.deliveryId },
    `the handler ${handler} failed itself`,
  )
}
