import { toMs } from '../base/duration.ts'
import { SwitchhookError } from '../base/errors.ts'
import { agentOf, type Send, sendOf, windowAt } from '../outbox/index.ts'
import type { TakeoverState } from '../stores/port/index.ts'
import { base, effect, jsonOf, recordFromHandler, slotsOf } from './base-context.ts'
import { checkedReply } from './check-send.ts'
import type { Base, Env, EventContext, Message, MessageContext, StatusContext } from '../routes/index.ts'
import type { AttemptDeps, RunningAttempt } from './types.ts'
import type { KeptFacts } from '../ingest/read-item.ts'
import { senderUnnamed } from './sent-by.ts'
import { openSession } from './session.ts'

/** What the item says as a message. */
export function messageOf(facts: KeptFacts, at: number): Message {
  const { messageId, kind, text, tapped, media } = facts.values
  return { id: messageId, kind: kind ?? 'unknown', at: new Date(at), text, tapped, media: media && { ...media } }
}

export type ContextFor = (route: string, extra: object) => MessageContext<Env>

/** The context of one route that took the message: a route of its own, since its replies' slots carry its name. */
export async function messageContext(
  running: RunningAttempt,
  room: AttemptDeps,
  message: Message,
): Promise<ContextFor> {
  const { item, facts, fence } = running
  const { number, customer = '' } = item
  const now = room.clock.service()
  const window = windowAt(item.lastInboundAt, now)
  const floor: TakeoverState = await room.store.takeoverOf(number, customer, now)
  running.session ??= await openSession(room.session, { number, customer }, room)
  const { session } = running
  const staleAt = room.staleAfterMs === undefined ? undefined : item.at + room.staleAfterMs
  return (route, extra) => {
    const slots = slotsOf(route, room, running)
    return {
      ...base(running, room, slots),
      ...extra,
      get session() {
        return session.value
      },
      set session(value) {
        session.value = value
      },
      customer,
      message,
      messages: [message],
      window,
      late: item.late,
      agent: agentOf(floor, now, room.takeoverMs),
      handOver: ({ for: span }) =>
        effect(running, room, async () =>
          room.takeover.handOver({ number, customer }, toMs(span, 'handOver.for'), fence),
        ),
      resume: () => effect(running, room, () => room.takeover.resume({ number, customer }, fence)),
      reply(content, options = {}) {
        return effect(running, room, async () => {
          const { outsideWindow, ref, ...named } = checkedReply(options)
          const slot = slots.next('reply', named)
          if (!isConfirmed(facts, room)) throw notConfirmed()
          return await recordFromHandler(running, room, {
            to: customer,
            content,
            outsideWindow,
            ref,
            slot,
            reply: { staleAt },
          })
        })
      },
    }
  }
}

/** The context of what a status says. */
export function statusContext(
  running: RunningAttempt,
  room: AttemptDeps,
  sent: Send | undefined,
): (route: string) => StatusContext<Env> {
  return (route) => ({
    ...base(running, room, slotsOf(route, room, running)),
    status: running.facts.values.status ?? 'unknown',
    sent,
    customer: running.item.customer,
  })
}

/** The send that a status speaks of, by the service's id or the upstream platform's. */
export async function sentOf({ facts }: RunningAttempt, room: AttemptDeps): Promise<Send | undefined> {
  const { messageId, upstreamId } = facts.values
  const row = await room.store.sendOf({
    ...(messageId !== undefined && { messageId }),
    ...(upstreamId !== undefined && { upstreamId }),
  })
  return row && (await sendOf(room.store, row))
}

export function eventContext(running: RunningAttempt, room: AttemptDeps): (route: string) => EventContext<Env> {
  const { customer, delivery } = running.item
  return (route) => ({
    ...base(running, room, slotsOf(route, room, running)),
    customer,
    get json() {
      return jsonOf(delivery.body)
    },
    need: (fact: string) => needed(running.facts, fact) as never,
    ...(delivery.event === 'message.sent' && {
      sentBy: async () => ((await sentOf(running, room)) ? 'bot' : senderUnnamed(running, room)),
    }),
  })
}

function needed({ values, own }: KeptFacts, fact: string): unknown {
  const known: Record<string, unknown> = { ...values, ...own }
  const value = Object.hasOwn(known, fact) ? known[fact] : undefined
  // What JSON has no form for, such as NaN, was kept as null.
  if (value !== undefined && value !== null) return value
  throw new SwitchhookError(
    'fact_missing',
    `fact_missing: ${fact}: the payload does not have it at the place that the option facts names`,
  )
}

/** What `onError` sees: no message and no reply, since it observes. */
export function errorContext(handler: string, running: RunningAttempt, room: AttemptDeps): Base<Env> {
  return base(running, room, slotsOf(handler, room, running))
}

function isConfirmed({ sure, mapped }: KeptFacts, room: AttemptDeps): boolean {
  return (room.answersGuessed ? sure : mapped).includes('customer')
}

function notConfirmed(): SwitchhookError {
  return new SwitchhookError(
    'recipient_not_confirmed',
    'the payload does not say for certain who wrote, so nothing is sent: the delivery is parked, which is kept and not answered',
  )
}
