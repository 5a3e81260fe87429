import { SwitchhookError } from '../base/errors.ts'
import { about } from '../base/log.ts'
import { recipient } from '../content/index.ts'
import { parseBody } from '../payload/index.ts'
import { type SendResult, sendOf, windowAt } from '../reply/index.ts'
import type { AttemptRoom, RunningAttempt } from './running.ts'
import type {
  Base,
  Env,
  EventContext,
  Message,
  MessageContext,
  ReplyOptions,
  SendOptions,
  StatusContext,
} from './context.ts'
import { once } from './once.ts'
import type { KeptFacts } from './said.ts'

/** What the item says as a message. */
export function messageOf(facts: KeptFacts, at: number): Message {
  const { messageId, kind, text, tapped, media } = facts.values
  return { id: messageId, kind: kind ?? 'unknown', at: new Date(at), text, tapped, media: media && { ...media } }
}

/** The context of one route that took the message: a route of its own, since its replies' slots carry its name. */
export function messageContext(
  running: RunningAttempt,
  room: AttemptRoom,
  message: Message,
): (route: string, extra: object) => MessageContext<Env> {
  const { item, facts } = running
  const customer = item.customer ?? ''
  const window = windowAt(item.lastInboundAt, room.clock.service())
  return (route, extra) => {
    const slots = slotsOf(route, room, running)
    return {
      ...base(running, room, slots),
      ...extra,
      customer,
      message,
      messages: [message],
      window,
      late: item.late,
      reply(content, options = {}) {
        const slot = slots.next('reply', options)
        return effect(running, async () => {
          if (!facts.sure.includes('customer')) throw notConfirmed()
          return await say(running, room, { to: customer, content, options, slot })
        })
      },
    }
  }
}

export async function statusContext(
  running: RunningAttempt,
  room: AttemptRoom,
): Promise<(route: string) => StatusContext<Env>> {
  const { values } = running.facts
  const row = await room.store.sendOf({
    ...(values.messageId !== undefined && { messageId: values.messageId }),
    ...(values.upstreamId !== undefined && { upstreamId: values.upstreamId }),
  })
  const sent = row && (await sendOf(room.store, row))
  return (route) => ({
    ...base(running, room, slotsOf(route, room, running)),
    status: values.status ?? 'unknown',
    sent,
    customer: running.item.customer,
  })
}

export function eventContext(running: RunningAttempt, room: AttemptRoom): (route: string) => EventContext<Env> {
  const { customer, delivery } = running.item
  return (route) => ({
    ...base(running, room, slotsOf(route, room, running)),
    customer,
    get json() {
      return jsonOf(delivery.body)
    },
  })
}

/** What `onError` sees: no message and no reply, since it observes. */
export function errorContext(running: RunningAttempt, room: AttemptRoom): Base<Env> {
  return base(running, room, slotsOf('onError', room, running))
}

type Slots = ReturnType<typeof slotsOf>

function base(running: RunningAttempt, room: AttemptRoom, slots: Slots): Base<Env> {
  const { item } = running
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
    to: (customer) => ({
      send(content, options: Omit<SendOptions, 'key'> = {}) {
        const slot = slots.next(`to:${digitsOf(customer)}`, options)
        return effect(running, () => say(running, room, { to: customer, content, options, slot }))
      },
    }),
    once(given, run) {
      const name = slots.once(given)
      const begun = running.onces.get(name) ?? running.effects.begin(() => once(running, room, name, run))
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

/**
 * Names what a route does, so that two routes never share it. A send goes by the name it was given, else by its order
 * within this route's run.
 */
function slotsOf(route: string, room: AttemptRoom, running: RunningAttempt) {
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
function effect<T>(running: RunningAttempt, run: () => Promise<T>): Promise<T> {
  return running.effects.begin(async () => {
    running.clock.check()
    return await running.clock.paused(run)
  })
}

function jsonOf(body: Uint8Array): unknown {
  const parsed = parseBody(body)
  return 'json' in parsed ? parsed.json : undefined
}

function say(
  running: RunningAttempt,
  room: AttemptRoom,
  it: { to: string; content: Parameters<MessageContext['reply']>[0]; options: ReplyOptions; slot: string },
): Promise<SendResult> {
  const { item, fence } = running
  return room.say({
    number: item.number,
    to: it.to,
    content: it.content,
    outsideWindow: it.options.outsideWindow,
    ref: it.options.ref,
    cause: item.cause,
    slot: it.slot,
    fence,
  })
}

/** Who it goes to is part of the slot: a handler that tells several people may do so in any order. */
function digitsOf(customer: string): string {
  try {
    return recipient(customer)
  } catch {
    // It is refused where it is sent.
    return customer
  }
}

function notConfirmed(): SwitchhookError {
  return new SwitchhookError(
    'recipient_not_confirmed',
    'the payload does not say for certain who wrote, so nothing is sent: the delivery is parked, which is kept and not answered',
  )
}
