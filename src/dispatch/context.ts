import { reasonOf, SwitchhookError } from '../base/errors.ts'
import { childLog, type Log } from '../base/log.ts'
import { recipient } from '../content/index.ts'
import {
  AttemptOver,
  checkedInHandler,
  type HandlerSendOptions,
  type SendIntent,
  type SendResult,
} from '../outbox/index.ts'
import { parseBody } from '../payload/index.ts'
import type { Base, Env } from '../routes/index.ts'
import { customerHandle } from './customer-handle.ts'
import { trackedInBoundary } from './middleware.ts'
import { openSession } from './session.ts'
import type { AttemptDeps, RunningAttempt } from './types.ts'

/** The part of the context that the handlers of every route have. */
export function baseContext(running: RunningAttempt, deps: AttemptDeps, slots: Slots): Omit<Base<Env>, 'log'> {
  const { item, fence } = running
  const { delivery } = item
  return {
    event: {
      name: delivery.event,
      deliveryId: delivery.deliveryId,
      subscription: delivery.subscription,
      receivedAt: new Date(delivery.receivedAt),
      raw: delivery.body,
      get json() {
        return jsonOf(delivery.body)
      },
    },
    number: item.number,
    to: (customer) =>
      customerHandle<HandlerSendOptions>(customer, {
        number: item.number,
        fence,
        takeover: () => deps.takeover,
        effect: (run) => runEffect(running, deps, run),
        session: async (who) => (await openSession(deps.session, who, deps)).value,
        forgotten() {
          if (digitsOrAsWritten(customer) === item.customer) running.session?.forget()
        },
        sendCode: (code) => deps.sendCode(code),
        recordSend(content, given = {}) {
          const options = checkedInHandler(given)
          const slot = slots.next(`to:${digitsOrAsWritten(customer)}`)
          return recordFromHandler(running, deps, { to: customer, content, slot, options })
        },
      }),
    once(ownName, run) {
      const name = slots.once(ownName)
      const begun = running.onces.get(name) ?? trackEffect(running, deps, () => once(running, deps, name, run))
      running.onces.set(name, begun)
      return begun as Promise<never>
    },
    attempt: item.attempt,
    lastAttempt: item.attempt >= deps.limits.max,
    signal: running.clock.signal,
    now: () => new Date(deps.clock.service()),
  }
}

/**
 * The log of an attempt, made when a handler first asks for it. Contexts have it as a getter of their own: a spread
 * would call the getter, and so make a pseudonym and a child logger for every delivery.
 */
export function logOf(running: RunningAttempt, deps: AttemptDeps): Log {
  const { item } = running
  return (running.log ??= childLog(deps.log, {
    delivery: item.delivery.deliveryId,
    attempt: item.attempt,
    ...(item.customer !== undefined && { customer: deps.pseudonym(item.customer) }),
  }))
}

export type Slots = ReturnType<typeof slotsOf>

/**
 * Names the effects of one route, so that two routes never share a name. A send goes by the name that the app gave it,
 * else by its order within this run of the route.
 */
export function slotsOf(route: string, deps: AttemptDeps, running: RunningAttempt) {
  const unnamed = new Map<string, number>()
  return {
    once: (name: string) => `${route}/${name}`,
    next(kind: string, name?: string): string {
      if (name !== undefined) return `${route}/${kind}:${name}`
      const ordinal = (unnamed.get(kind) ?? 0) + 1
      unnamed.set(kind, ordinal)
      if (ordinal === 2 && deps.strict)
        deps.log.warn(
          { route, delivery: running.item.delivery.deliveryId },
          'two unnamed replies in one route are told apart by their order alone: name them with { slot } where that order may change',
        )
      return `${route}/${kind}#${ordinal}`
    },
  }
}

/**
 * Runs an effect of an attempt: refused once the attempt is over, and waiting for it does not count towards the
 * deadline.
 */
export function runEffect<T>(running: RunningAttempt, deps: AttemptDeps, run: () => Promise<T>): Promise<T> {
  return trackEffect(running, deps, async () => {
    running.clock.check()
    return await running.clock.paused(run)
  })
}

/**
 * An effect that nobody awaits fails unseen. If that comes too late to fail the attempt as well, only the log can tell.
 */
function trackEffect<T>(running: RunningAttempt, deps: AttemptDeps, work: () => Promise<T>): Promise<T> {
  if (running.clock.isFinished())
    deps.log.warn(
      { delivery: running.item.delivery.deliveryId, attempt: running.item.attempt },
      'a handler began something after it had returned, such as a reply in a callback: it had no effect, and nobody runs it again; await what a handler begins before it returns',
    )
  return running.effects.begin(() => trackedInBoundary(running, work))
}

/** Records a message of a handler: its cause and its lane are those of the item. */
export function recordFromHandler(
  { item, fence }: RunningAttempt,
  deps: AttemptDeps,
  message: Omit<SendIntent, 'number' | 'cause' | 'fence'>,
): Promise<SendResult> {
  return deps.recordSend({ ...message, number: item.number, cause: item.cause, fence })
}

/**
 * Runs an effect of the app's own once per item. Its JSON result is stored with the delivery before it is returned, and
 * every rerun gets it back. A crash inside the effect runs it again; once its result is stored it never runs again.
 *
 * @throws AttemptOver if the lane was lost meanwhile: then another attempt decides. SwitchhookError `options_invalid`
 * if the result cannot be kept: another attempt would run the effect again and mend nothing.
 */
export async function once<T>(
  { item, fence, clock }: Pick<RunningAttempt, 'item' | 'fence' | 'clock'>,
  { store }: Pick<AttemptDeps, 'store'>,
  name: string,
  run: () => T | Promise<T>,
): Promise<T> {
  const known = await store.onceResult(item.id, name)
  if (known !== undefined) return unpack(known) as T
  clock.check()
  const packed = pack(name, await run())
  clock.check()
  const keeping = store.keepOnce(fence, item.id, name, packed)
  // While the disk is full this waits, and is kept later all the same; the handler need not wait beyond its deadline.
  keeping.catch(() => {})
  if (!(await Promise.race([keeping, clock.over]))) throw new AttemptOver('its lane was lost')
  // The first run, too, gets the result as JSON makes it.
  return unpack(packed) as T
}

/** In a list, so that `undefined` has a JSON form too. */
function pack(name: string, result: unknown): string {
  try {
    return JSON.stringify(result === undefined ? [] : [result])
  } catch (error) {
    throw new SwitchhookError(
      'options_invalid',
      `once(): what "${name}" gave cannot be kept as JSON; let it give what is needed alone, such as an id. It has run, and does not run again by itself: ${reasonOf(error)}`,
      { cause: error },
    )
  }
}

function unpack(packed: string): unknown {
  return (JSON.parse(packed) as unknown[])[0]
}

/** The slot of a send names its customer, who may be written in several ways. */
function digitsOrAsWritten(customer: string): string {
  try {
    return recipient(customer)
  } catch {
    // A customer who is no phone number is refused when the message is recorded.
    return customer
  }
}

export function jsonOf(body: Uint8Array): unknown {
  const parsed = parseBody(body)
  return 'json' in parsed ? parsed.json : undefined
}
