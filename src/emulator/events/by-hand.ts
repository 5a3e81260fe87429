import { z } from 'zod'
import { type EventName, EVENTS, EVENT_NAME_FORM } from '../../contract/index.ts'
import { PHONE_FORM } from '../../contract/limits.ts'
import { refuse } from '../http/messages.ts'
import { type ConnectedNumber, numberByIdOrFirst } from '../service/account.ts'
import type { State } from '../state.ts'
import { type About, iso } from './event.ts'
import { examplePayload } from './examples.ts'
import { handOut } from './publish.ts'

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
