import { SwitchhookError } from '../../base/errors.ts'
import { packResult, unpackResult } from './attempt-clock.ts'
import { AttemptOver, type SendResult } from '../out/send.ts'
import type { SendIntent } from '../out/record-send.ts'
import { trackedInBoundary } from './middleware.ts'
import type { AttemptDeps, RunningAttempt } from './attempt-types.ts'

/**
 * Runs an effect of an attempt: refused once the attempt is over, and waiting for it does not count towards the
 * deadline.
 */
export function runEffect<T>(running: RunningAttempt, deps: AttemptDeps, run: () => Promise<T>): Promise<T> {
  return trackEffect(running, deps, () => running.clock.paused(run))
}

/**
 * An effect that nobody awaits fails unseen. If that comes too late to fail the attempt as well, only the log can tell.
 */
export function trackEffect<T>(running: RunningAttempt, deps: AttemptDeps, work: () => Promise<T>): Promise<T> {
  if (running.clock.isFinished())
    deps.log.warn(
      { delivery: running.item.delivery.deliveryId, attempt: running.item.attempt },
      'a handler began something after it had returned, such as a reply in a callback: it had no effect, and nobody runs it again; await what a handler begins before it returns',
    )
  return running.effects.begin(() => trackedInBoundary(running, work))
}

/**
 * Records a message of a handler, under the fence of its attempt: the message has the item's number, and the item's
 * cause if it has no other.
 */
export function recordFromHandler(
  { item, fence, reruns }: RunningAttempt,
  deps: AttemptDeps,
  message: Omit<SendIntent, 'number' | 'cause' | 'delivery' | 'fence' | 'mayDiverge'> & { readonly cause?: string },
): Promise<SendResult> {
  return deps.recordSend({
    cause: item.cause,
    ...message,
    number: item.number,
    delivery: item.delivery.deliveryId,
    fence,
    mayDiverge: reruns > 0,
  })
}

/** Another process has the item's lane, and may handle the item: no handler begins here. */
export class LaneLost extends Error {}

/**
 * Looks at lane and deadline before handlers begin: what was read for them may have waited for a database longer than a
 * lease, or than the attempt.
 *
 * @throws LaneLost; AttemptOver if the deadline has passed.
 */
export async function checkLane({ keepLane, clock }: RunningAttempt): Promise<void> {
  if (!(await keepLane())) throw new LaneLost('another process has the lane')
  clock.check()
}

/**
 * Records a message to the customer of the item: it is skipped while the customer is taken over, and if it comes too late.
 *
 * @param reply `cause`: default, the item's.
 * @throws SwitchhookError `recipient_not_confirmed`
 */
export async function recordReply(
  running: RunningAttempt,
  deps: AttemptDeps,
  reply: Pick<SendIntent, 'content' | 'slot' | 'options'> & { readonly cause?: string },
): Promise<SendResult> {
  if (!mayBeAnswered(running, deps)) throw notConfirmed(deps)
  const { item } = running
  const staleAt = deps.staleAfterMs === undefined ? undefined : item.at + deps.staleAfterMs
  return recordFromHandler(running, deps, { to: item.customer ?? '', ...reply, reply: { staleAt } })
}

/** An item of the bot's own names its customer for certain. */
function mayBeAnswered({ item, facts: { sure, mapped } }: RunningAttempt, deps: AttemptDeps): boolean {
  return item.kind !== 'message' || (deps.answersGuessed ? sure : mapped).includes('customer')
}

function notConfirmed({ answersGuessed }: Pick<AttemptDeps, 'answersGuessed'>): SwitchhookError {
  const why = answersGuessed ? '' : " (replies: 'mapped' answers only customers that the option facts maps)"
  return new SwitchhookError(
    'recipient_not_confirmed',
    `the payload does not say for certain who wrote${why}, so nothing is sent: the delivery is parked, which is kept and not answered`,
  )
}

/**
 * Runs an effect of the app's own once per item. Its JSON result is stored with the delivery before it is returned, and
 * every rerun gets it back. A crash inside the effect runs it again; once its result is stored it never runs again.
 *
 * @throws AttemptOver if the lane was lost meanwhile: then another attempt decides. SwitchhookError `options_invalid`
 * if the result cannot be kept: another attempt would run the effect again and fail again.
 */
export async function once<T>(
  { item, fence, clock }: Pick<RunningAttempt, 'item' | 'fence' | 'clock'>,
  { store }: Pick<AttemptDeps, 'store'>,
  name: string,
  run: () => T | Promise<T>,
): Promise<T> {
  const known = await store.onceResult(item.id, name)
  if (known !== undefined) return unpackResult(known) as T
  clock.check()
  const packed = packResult(name, await run())
  clock.check()
  // While the disk is full this waits, and is kept later all the same; the handler need not wait beyond its deadline.
  if (!(await clock.race(store.keepOnce(fence, item.id, name, packed)))) throw new AttemptOver('its lane was lost')
  // The first run, too, gets the result as JSON makes it.
  return unpackResult(packed) as T
}

/** The name that the app gave the reply of a slot; undefined if it gave none. */
export function nameIn(slot: string): string | undefined {
  const at = NUMBERED.test(slot) ? -1 : slot.lastIndexOf(NAMED)
  return at < 0 ? undefined : slot.slice(at + NAMED.length)
}

const NAMED = '/reply:'
/** A route's own words may look like a name: the order at the end tells that there is none. */
const NUMBERED = /\/(?:reply|to:[^/]*)#\d+$/

export type Slots = ReturnType<typeof slotsOf>

/**
 * Names the sends and the `once` effects of one route, so that two routes never share a name. A send goes by the name that
 * the app gave it, else by its order within this run of the route. The names are parts of keys.
 */
export function slotsOf(route: string, running: RunningAttempt, deps: AttemptDeps) {
  let unnamed: Map<string, number> | undefined
  return {
    once: (name: string) => `${route}/${name}`,
    next(kind: string, name?: string): string {
      if (name !== undefined) return `${route}/${kind}:${name}`
      unnamed ??= new Map()
      const ordinal = (unnamed.get(kind) ?? 0) + 1
      unnamed.set(kind, ordinal)
      if (ordinal === 2 && deps.strict)
        deps.log.warn(
          { route, delivery: running.item.delivery.deliveryId },
          'only their order distinguishes two unnamed replies in one route: name them with { slot } if that order may change',
        )
      return `${route}/${kind}#${ordinal}`
    },
  }
}
