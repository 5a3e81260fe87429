import { z } from 'zod'
import type { Duration } from '../../base/duration.ts'
import { type Delivery, attemptView, deliveryView } from '../deliver/delivery.ts'
import { signaturesOf } from '../deliver/request.ts'
import { refuse } from '../http/messages.ts'
import type { State } from '../world.ts'
import { A_SPAN, iso, spanMs } from '../model/emulated-clock.ts'
import { NO_BODY, change, get, invalid, numberByIdOrFirst } from './request.ts'
import { isEndpoint, isPublicEndpoint, subscriptionView } from '../deliver/subscriptions.ts'
import { PHONE_FORM } from '../../service/endpoints.ts'
import { EVENTS, EVENT_NAME_FORM, type EventName } from '../../service/delivery.ts'
import { openWindow } from '../actors/customer.ts'
import type { About, PublishedEvent } from '../events/event.ts'
import { examplePayload } from '../events/examples.ts'
import type { ConnectedNumber } from '../model/account.ts'

const headerValue = z.string().regex(/^[\x20-\x7e\xa0-\xff]*$/, 'must be printable characters of a header')

const redeliverySchema = z
  .strictObject({
    exact: z.boolean().optional(),
    tamper: z.enum(['signature', 'body', 'timestamp']).optional(),
    timestampOffset: z.string().optional(),
    deliveryId: headerValue.optional(),
    event: headerValue.optional(),
  })
  .refine((how) => !(how.exact && how.timestampOffset !== undefined), 'timestampOffset and exact exclude each other')

function findDelivery(state: State, id: string): Delivery {
  const delivery = state.deliverer.history.byId(id)
  if (delivery === undefined)
    throw refuse(
      404,
      'not_found',
      `The delivery ${id} does not exist. The latest are kept until a reset or the end of the run.`,
    )
  return delivery
}

/** Reads a span such as `'-301s'` or `'+5m'`. */
function signedMs(span: string): number {
  const [, sign, size] = /^([+-]?)(.+)$/.exec(span) ?? []
  if (size === undefined) throw invalid('timestampOffset: expected a span such as -301s')
  const ms = spanMs(size as Duration)
  if (ms === undefined) throw invalid(`timestampOffset: must be ${A_SPAN}, with or without a sign`)
  return ms * (sign === '-' ? -1 : 1)
}

const registrationSchema = z.strictObject({
  url: z.string().refine(isEndpoint, 'must be an http or https address without credentials'),
  secret: z.string().trim().min(1).optional(),
})

const EXAMPLE_CUSTOMER = '255712000101'

export type EventView = PublishedEvent & { readonly at: string; readonly payload: string }

const firingSchema = z
  .strictObject({
    event: z.string().regex(EVENT_NAME_FORM, 'must be a name such as message.received'),
    /** Any JSON. Default: an example of the event, or `{id, event}` if the name is unknown. */
    payload: z.unknown().optional(),
    raw: z.string().optional(),
    customer: z.string().regex(PHONE_FORM, 'must be 6 to 15 digits').default(EXAMPLE_CUSTOMER),
    opensWindow: z.boolean().optional(),
    number: z.string().optional(),
  })
  .refine((it) => it.payload === undefined || it.raw === undefined, {
    path: ['raw'],
    message: 'raw and payload exclude each other',
  })

type Firing = z.output<typeof firingSchema>

export type Fired = { readonly eventId: string; readonly deliveryIds: string[] }

export const DELIVERY_OPERATIONS = {
  listEvents: get('events', "The dashboard's log: the events of the last 30 days, oldest first.", ({ publisher }) => ({
    items: publisher
      .events()
      .map(({ at, body, ...event }): EventView => ({ ...event, at: iso(at), payload: body.toString('utf8') })),
  })),
  // Also fires an event that the switch `declaredEvents` turns off.
  fireEvent: change(
    'POST',
    'events',
    'Fires an event manually. Nothing else changes.',
    firingSchema,
    (state, firing): Fired => {
      const number = numberByIdOrFirst(state.account, firing.number)
      if (number.callbackOverride)
        throw refuse(409, 'callback_override', 'Under the callback override no event goes to a subscription.')
      const id = state.ids.event()
      const body = Buffer.from(firing.raw ?? JSON.stringify(payloadOf(state, firing, number, id)))
      if (firing.opensWindow) openWindow(state, number, firing.customer)
      const isAboutAccount = firing.event === 'template.status' || firing.event === 'account.error'
      const customer = isAboutAccount ? undefined : firing.customer
      const deliveryIds = state.publisher.handOut({ id, name: firing.event, customer, body })
      return { eventId: id, deliveryIds }
    },
  ),
  listDeliveries: get('deliveries', 'The deliveries of events, each with its attempts.', ({ deliverer }) => ({
    items: deliverer.history.list().map(deliveryView),
  })),
  showDelivery: get(
    'deliveries/:id',
    'One delivery, with the signed bytes and the expected signature of each attempt.',
    (state, id) => {
      const delivery = findDelivery(state, id)
      return { ...deliveryView(delivery), signatures: signaturesOf(delivery, state.deliverer.headerNames) }
    },
  ),
  redeliver: change(
    'POST',
    'deliveries/:id/redeliver',
    'Makes one more attempt, and answers when it has ended.',
    redeliverySchema,
    async (state, { timestampOffset, ...how }, id) => {
      const delivery = findDelivery(state, id)
      if (how.exact && delivery.lastSigned === undefined)
        throw refuse(409, 'no_attempt_yet', 'An exact redelivery repeats an earlier attempt, and there is none yet.')
      const timestampOffsetMs = timestampOffset === undefined ? undefined : signedMs(timestampOffset)
      const attempt = attemptView(await state.deliverer.redeliver(delivery, { ...how, timestampOffsetMs }))
      return { id, status: attempt.status, attempt }
    },
  ),
  listSubscriptions: get('subscriptions', 'The registered endpoints, without their secrets.', ({ subscriptions }) => ({
    items: subscriptions.list().map(subscriptionView),
  })),
  register: change(
    'POST',
    'subscriptions',
    'Registers an endpoint, or reactivates it with a new secret. Only this answer shows the secret.',
    registrationSchema,
    (state, { url, secret }) => {
      if (state.account.numbers.some((number) => number.callbackOverride))
        throw refuse(409, 'callback_override', 'Under the callback override no subscription can be registered.')
      if (state.assumptions.localEndpoints === 'refuse' && !isPublicEndpoint(url))
        throw invalid('url: must be public https; http, loopback, link-local and private addresses are refused.')
      const subscription = state.subscriptions.register(url, secret)
      return { ...subscriptionView(subscription), secret: subscription.secret }
    },
  ),
  unsubscribe: change('DELETE', 'subscriptions/:id', 'Removes an endpoint.', NO_BODY, ({ subscriptions }, _, id) => {
    const found = subscriptions.byId(id)
    if (found === undefined) throw refuse(404, 'not_found', 'This subscription does not exist.')
    subscriptions.remove(id)
    return subscriptionView(found)
  }),
}

function payloadOf(
  state: State,
  { event, payload, customer }: Firing,
  number: ConnectedNumber,
  eventId: string,
): unknown {
  if (payload !== undefined) return payload
  const about: About = { eventId, number, now: state.clock.now() }
  if (isKnown(event)) return examplePayload(state, event, customer, about)
  return { id: eventId, event, created_at: iso(about.now), data: {} }
}

function isKnown(event: string): event is EventName {
  return Object.hasOwn(EVENTS, event)
}
