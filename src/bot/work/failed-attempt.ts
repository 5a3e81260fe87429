import { type Backoff, backoffMs, type Random } from '../../base/clock.ts'
import { isA, readError, SwitchhookError } from '../../base/errors.ts'
import { ApiError } from '../../client/client.ts'
import { GiveUp, RetryIn, type Verdict } from '../routes/routes.ts'
import { Unstorable } from '../../store/database/engine.ts'
import {
  slotsOf,
  AttemptClock,
  type AttemptLimits,
  checkLease,
  Effects,
  isOfCustomer,
  LeaseLost,
  type RunningAttempt,
  scopeOf,
} from './running-attempt.ts'
import { BaseContext, messageContexts, withVars } from './handler-context.ts'
import { redact, redactedFrames, redactError } from './redacted-error.ts'
import { createMiddlewareRunner, messagesOf } from './run-message.ts'
import type { Failure } from '../../store/work/items.ts'
import type { Settlement } from '../../store/work/settle.ts'

export async function settleFailed(error: unknown, failed: RunningAttempt): Promise<Settlement> {
  const { deps } = failed
  const verdict = await afterwards(failed, 'onError', (running) => callErrorHandlers(error, running))
  const decided = decideItem(
    error,
    { ...failed.item, completedHandlers: failed.completedHandlers },
    {
      // If the clock may be ahead, messages may only seem old, so the time limit does not apply.
      limits: deps.lease.mayBeAhead() ? { ...deps.limits, withinMs: Infinity } : deps.limits,
      random: deps.random,
      now: deps.clock.wall(),
      verdict,
      redacted: (reason) => redact(reason, failed.item),
    },
  )
  const settlement = { ...decided, failure: failureOf(error, failed) }
  const { openRoute, changes } = failed
  // During the wait, block the lane: else an open script would get the customer's next message in place of this one.
  if (settlement.as === 'retry')
    return { ...settlement, blocksLane: settlement.blocksLane || Boolean(openRoute ?? changes) }
  if (openRoute)
    await afterwards(failed, 'onEnd', (running) =>
      isolated(`${openRoute.compiled.id}:onEnd`, running, async () => deps.entered?.tellFailed(openRoute, running)),
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
    // Log nothing: another attempt follows, and if it fails these handlers run again.
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

// ── the decision ────────────────────────────────────────────────────────────────────────────────────

/** Errors that another attempt would only repeat. */
const FOR_GOOD = new Set([
  'content_invalid',
  'options_invalid',
  'outside_window',
  'recipient_not_allowed',
  'no_access_token',
  'diverged',
  'session_invalid',
])
const PARKED = new Set(['fact_missing', 'recipient_not_confirmed'])

const BACKOFF: Backoff = { firstMs: 1_000, longestMs: 10 * 60_000, jitter: 'full' }
/** During a back-off of at most this length an item blocks its lane. During a longer one the lane continues. */
const BLOCKS_LANE_MS = 30_000

export function decideItem(
  error: unknown,
  item: { readonly attempt: number; readonly createdAt: number; readonly completedHandlers: readonly string[] },
  rules: {
    readonly limits: AttemptLimits
    readonly now: number
    readonly random: Random
    /** The decision of the app's own `onError`. The limits still apply. */
    readonly verdict?: Verdict
    /** Removes the customer's data from the reason, which is stored. */
    readonly redacted?: (reason: string) => string
  },
): Extract<Settlement, { readonly as: 'retry' | 'parked' | 'dead' }> {
  const reason = describe(error, rules.redacted)
  const { completedHandlers } = item
  const { limits, now, random, verdict } = rules
  if (verdict === 'dead' || isA(error, GiveUp)) return { as: 'dead', reason, completedHandlers }
  if (verdict === undefined && isA(error, SwitchhookError) && PARKED.has(error.code))
    return { as: 'parked', reason, completedHandlers }
  if (verdict === undefined && isForGood(error)) return { as: 'dead', reason, completedHandlers }
  const wait = isA(error, RetryIn) ? Math.ceil(error.waitMs) : backoffMs(item.attempt, BACKOFF, random)
  if (item.attempt >= limits.max) return { as: 'dead', reason, completedHandlers }
  if (now + wait - item.createdAt > limits.withinMs)
    return { as: 'dead', reason: `${reason} (the next attempt would come after attempts.within)`, completedHandlers }
  return { as: 'retry', reason, at: now + wait, blocksLane: wait <= BLOCKS_LANE_MS, completedHandlers }
}

function isForGood(error: unknown): boolean {
  if (isA(error, ApiError)) return !error.retryable
  if (isA(error, Unstorable)) return true
  return isA(error, SwitchhookError) && FOR_GOOD.has(error.code)
}

const REASON_CHARACTERS = 500

function describe(error: unknown, redacted = (reason: string) => reason): string {
  const { name, message } = readError(error)
  const isNamed = isA(error, Error) && name !== 'Error'
  return redacted(isNamed ? `${name}: ${message}` : message).slice(0, REASON_CHARACTERS)
}
