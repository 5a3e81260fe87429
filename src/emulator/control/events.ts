import { z } from 'zod'
import { PHONE_FORM } from '../../contract/endpoints.ts'
import { EVENT_NAME_FORM, type EventName, EVENTS } from '../../contract/index.ts'
import { opensWindow } from '../actors/customer.ts'
import type { About } from '../events/event.ts'
import { examplePayload } from '../events/examples.ts'
import { refuse } from '../http/messages.ts'
import type { ConnectedNumber } from '../model/account.ts'
import { iso } from '../model/clock.ts'
import { createIds, seededRandom } from '../model/ids.ts'
import type { State } from '../world.ts'
import { writer } from './customers.ts'
import { numberByIdOrFirst } from './request.ts'

const EXAMPLE_CUSTOMER = '255712000101'

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

export const firingSchema = z
  .strictObject({
    /** Any name that a header can carry, also an unknown one. */
    event: z.string().regex(EVENT_NAME_FORM, 'must be a name such as message.received'),
    /** Any JSON; default: an example of the event, or `{id, event}` if the name is unknown. */
    payload: z.unknown().optional(),
    /** The body as it stands, which need not be JSON. */
    raw: z.string().optional(),
    customer: z.string().regex(PHONE_FORM, 'must be 6 to 15 digits').default(EXAMPLE_CUSTOMER),
    /** The event is a message of the customer: their window opens. */
    opensWindow: z.boolean().optional(),
    /** The one subscription to deliver to, by its id or url; default: all. */
    subscription: z.string().optional(),
    number: z.string().optional(),
  })
  .refine((it) => it.payload === undefined || it.raw === undefined, { path: ['raw'], message: 'goes without payload' })

type Firing = z.output<typeof firingSchema>

export type Fired = { readonly eventId: string; readonly deliveryIds: string[] }

/** Fires an event by hand: nothing else changes, and it goes out even if a switch keeps events of its name back. */
export function fireEvent(state: State, firing: Firing): Fired {
  const number = numberByIdOrFirst(state.account, firing.number)
  if (number.callbackOverride)
    throw refuse(409, 'callback_override', 'Under the callback override no event goes to a subscription.')
  const subscription = firing.subscription === undefined ? undefined : activeSubscription(state, firing.subscription)
  const id = state.ids.event()
  const body = Buffer.from(firing.raw ?? JSON.stringify(payloadOf(state, firing, number, id)))
  if (firing.opensWindow) opensWindow(state, number, firing.customer)
  const customer = isAboutAccount(firing.event) ? undefined : firing.customer
  const deliveryIds = state.publisher.handOut({ id, name: firing.event, customer, body }, subscription)
  return { eventId: id, deliveryIds }
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

/** The id of a subscription that is named by its id or url. */
function activeSubscription({ subscriptions }: State, name: string): string {
  const found = subscriptions.byId(name) ?? subscriptions.byUrl(name)
  if (found === undefined) throw refuse(404, 'not_found', 'There is no such subscription.')
  if (found.state === 'active') return found.id
  throw refuse(409, 'subscription_disabled', 'The subscription is disabled; registering its url again mends that.')
}

function isKnown(event: string): event is EventName {
  return Object.hasOwn(EVENTS, event)
}

function isAboutAccount(event: string): boolean {
  return event === 'template.status' || event === 'account.error'
}

export type EventExample = {
  readonly event: EventName
  /** `declared`: not confirmed as published. */
  readonly label: 'confirmed' | 'declared'
  readonly payload: object
}

/** An example of each event about `?customer=`, in the shape for this turn; nothing changes by it. */
export function listExamples(state: State, query: URLSearchParams): { items: readonly EventExample[] } {
  const customer = writer(query.get('customer') ?? EXAMPLE_CUSTOMER)
  const number = numberByIdOrFirst(state.account, query.get('number') ?? undefined)
  // Ids and turns of its own, so that those of the service stay as they are.
  const apart = { ...state, ids: createIds(seededRandom(state.random.seed()).next), turn: { ...state.turn } }
  return {
    items: Object.entries(EVENTS).map(([name, label]) => {
      const event = name as EventName
      const about = { eventId: apart.ids.event(), number, now: state.clock.now() }
      return { event, label, payload: examplePayload(apart, event, customer, about) }
    }),
  }
}
