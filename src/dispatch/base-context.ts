import { about } from '../base/log.ts'
import type { Content, Template } from '../content/index.ts'
import { parseBody } from '../payload/index.ts'
import type { SendIntent, SendResult } from '../outbox/index.ts'
import { trackedInBoundary } from './error-boundary.ts'
import { checkedInHandler, digitsOrAsWritten } from './check-send.ts'
import type { Base, Env, ReplyOptions, SendOptions } from '../routes/index.ts'
import { once } from './once.ts'
import { customerHandle } from './customer-handle.ts'
import type { AttemptDeps, RunningAttempt } from './types.ts'
import { openSession } from './session.ts'

/** What the context of every route has. */
export function base(running: RunningAttempt, room: AttemptDeps, slots: Slots): Base<Env> {
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
      customerHandle<Omit<SendOptions, 'key'>>(customer, {
        number: item.number,
        fence,
        takeover: () => room.takeover,
        effect: (run) => effect(running, room, run),
        session: async (who) => (await openSession(room.session, who, room)).value,
        forgotten() {
          if (digitsOrAsWritten(customer) === item.customer) running.session?.forget()
        },
        sendCode: (code) => room.sendCode(code),
        recordSend(content, options = {}) {
          const { at, wait, ...rest } = checkedInHandler(options)
          const slot = slots.next(`to:${digitsOrAsWritten(customer)}`, rest)
          return recordFromHandler(running, room, { to: customer, content, slot, ...rest, at, wait })
        },
      }),
    once(given, run) {
      const name = slots.once(given)
      const begun = running.onces.get(name) ?? begin(running, room, () => once(running, room, name, run))
      running.onces.set(name, begun)
      return begun as Promise<never>
    },
    attempt: item.attempt,
    lastAttempt: item.attempt >= room.limits.max,
    signal: running.clock.signal,
    now: () => new Date(room.clock.service()),
    get log() {
      return about(room.log, {
        delivery: delivery.deliveryId,
        attempt: item.attempt,
        ...(item.customer !== undefined && { customer: room.pseudonym(item.customer) }),
      })
    },
  }
}

export type Slots = ReturnType<typeof slotsOf>

/**
 * Names what a route does, so that two routes never share it. A send goes by the name it was given, else by its order
 * within this route's run.
 */
export function slotsOf(route: string, room: AttemptDeps, running: RunningAttempt) {
  const unnamed = new Map<string, number>()
  return {
    once: (name: string) => `${route}/${name}`,
    next(kind: string, { slot }: ReplyOptions): string {
      if (slot !== undefined) return `${route}/${kind}:${slot}`
      const ordinal = (unnamed.get(kind) ?? 0) + 1
      unnamed.set(kind, ordinal)
      if (ordinal === 2 && room.strict)
        room.log.warn(
          { route, delivery: running.item.delivery.deliveryId },
          'two unnamed replies in one route are told apart by their order alone: name them with { slot } where that order may change',
        )
      return `${route}/${kind}#${ordinal}`
    },
  }
}

/** Whatever an attempt does is refused once the attempt is over, and its waiting does not count. */
export function effect<T>(running: RunningAttempt, room: AttemptDeps, run: () => Promise<T>): Promise<T> {
  return begin(running, room, async () => {
    running.clock.check()
    return await running.clock.paused(run)
  })
}

/** What is not awaited fails unseen: where that comes too late to fail the attempt as well, the log alone can tell. */
function begin<T>(running: RunningAttempt, room: AttemptDeps, work: () => Promise<T>): Promise<T> {
  if (running.clock.isFinished())
    room.log.warn(
      { delivery: running.item.delivery.deliveryId, attempt: running.item.attempt },
      'a handler began something after it had returned, such as a reply in a callback: it had no effect, and nobody runs it again; await what a handler begins before it returns',
    )
  return running.effects.begin(() => trackedInBoundary(running, work))
}

/** Says something on behalf of the attempt: its cause and its lane are this item's. */
export function recordFromHandler(
  { item, fence }: RunningAttempt,
  room: AttemptDeps,
  it: Pick<SendIntent, 'to' | 'slot' | 'outsideWindow' | 'ref' | 'reply' | 'at' | 'wait'> & {
    readonly content: Content | Template
  },
): Promise<SendResult> {
  return room.recordSend({ ...it, number: item.number, cause: item.cause, fence })
}

export function jsonOf(body: Uint8Array): unknown {
  const parsed = parseBody(body)
  return 'json' in parsed ? parsed.json : undefined
}
