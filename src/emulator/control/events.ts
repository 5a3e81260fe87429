import { z } from 'zod'
import { EVENTS, EVENT_NAME_FORM, type EventName } from '../../contract/index.ts'
import { PHONE_FORM } from '../../contract/limits.ts'
import { type About, iso } from '../events/event.ts'
import { examplePayload } from '../events/examples.ts'
import { handOut } from '../events/publish.ts'
import { type HttpRequest, refuse } from '../http/messages.ts'
import { type ConnectedNumber, numberByIdOrFirst } from '../model/account.ts'
import { createIds, seededRandom } from '../model/ids.ts'
import type { State } from '../state.ts'
import { writer } from './customers.ts'
import { readControl } from './request.ts'

export type EventView = {
  readonly id: string
  readonly event: string
  readonly customer: string | null
  readonly at: string
  readonly deliveryIds: readonly string[]
  /** The body's text, as it was handed out. */
  readonly payload: string
}

/** The dashboard's log: the events of the last 30 days, oldest first. */
export function listEvents({ events }: State): { items: readonly EventView[] } {
  return {
    items: events.list().map(({ id, name, customer = null, at, deliveryIds, body }) => ({
      id,
      event: name,
      customer,
      at: iso(at),
      deliveryIds,
      payload: body.toString('utf8'),
    })),
  }
}

export function fireEvent(state: State, request: HttpRequest): Fired {
  return fire(state, readControl(request, firingSchema))
}

export type EventExample = {
  readonly event: EventName
  /** `declared`: not confirmed as published. */
  readonly label: 'confirmed' | 'declared'
  readonly payload: object
}

/** What each event could say of `?customer=`, in the shape whose turn it is; nothing happens by it. */
export function listExamples(state: State, { query }: HttpRequest): { items: readonly EventExample[] } {
  const customer = writer(query.get('customer') ?? USUAL_CUSTOMER)
  const number = numberByIdOrFirst(state.account, query.get('number') ?? undefined)
  // Ids and turns of their own, so that what the service hands out stays as it would be.
  const apart = { ...state, ids: createIds(seededRandom(state.random.save()).next), turn: { ...state.turn } }
  return {
    items: Object.entries(EVENTS).map(([name, label]) => {
      const event = name as EventName
      const about = { eventId: apart.ids.event(), number, now: state.clock.now() }
      return { event, label, payload: examplePayload(apart, event, customer, about) }
    }),
  }
}

const USUAL_CUSTOMER = '255712000101'

export const firingSchema = z
  .strictObject({
    /** Any name that a header can carry, also one that nobody has heard of. */
    event: z.string().regex(EVENT_NAME_FORM, 'must be a name such as message.received'),
    /** Any JSON; default: an example of the event, or `{id, event}` where the name is unknown. */
    payload: z.unknown().optional(),
    /** The body as it stands, also what is no JSON. */
    raw: z.string().optional(),
    /** Whom the example is about. */
    customer: z.string().regex(PHONE_FORM, 'must be 6 to 15 digits').default('255712000101'),
    /** To this subscription alone, by its id or url; default: to all. */
    subscription: z.string().optional(),
    number: z.string().optional(),
  })
  .refine((it) => it.payload === undefined || it.raw === undefined, { path: ['raw'], message: 'goes without payload' })

export type Fired = { readonly eventId: string; readonly deliveryIds: string[] }

/** An event by hand: nothing else changes, and it goes out whatever the switches say of its name. */
export function fire(state: State, firing: z.output<typeof firingSchema>): Fired {
  const number = numberByIdOrFirst(state.account, firing.number)
  if (number.callbackOverride)
    throw refuse(409, 'callback_override', 'Under the callback override no event goes to a subscription.')
  const only = firing.subscription === undefined ? undefined : subscriptionNamed(state, firing.subscription)
  const id = state.ids.event()
  const body = Buffer.from(firing.raw ?? JSON.stringify(payloadOf(state, firing, number, id)))
  const about = isAboutAccount(firing.event) ? undefined : firing.customer
  return { eventId: id, deliveryIds: handOut(state, { id, name: firing.event, customer: about, body }, only) }
}

function payloadOf(
  state: State,
  { event, payload, customer }: z.output<typeof firingSchema>,
  number: ConnectedNumber,
  eventId: string,
): unknown {
  if (payload !== undefined) return payload
  const about: About = { eventId, number, now: state.clock.now() }
  if (isKnown(event)) return examplePayload(state, event, customer, about)
  return { id: eventId, event, created_at: iso(about.now), data: {} }
}

function subscriptionNamed(state: State, name: string) {
  const found = state.subscriptions.byId(name) ?? state.subscriptions.byUrl(name)
  if (found === undefined) throw refuse(404, 'not_found', 'There is no such subscription.')
  if (found.state === 'active') return found
  throw refuse(409, 'subscription_disabled', 'The subscription is disabled; registering its url again mends that.')
}

function isKnown(event: string): event is EventName {
  return Object.hasOwn(EVENTS, event)
}

function isAboutAccount(event: string): boolean {
  return event === 'template.status' || event === 'account.error'
}
