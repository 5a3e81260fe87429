import { type EventName, EVENTS } from '../../contract/index.ts'
import type { Subscription } from '../deliver/subscriptions.ts'
import type { ConnectedNumber } from '../service/account.ts'
import type { State } from '../state.ts'
import { DECLARED_SHAPES, type Told } from './declared.ts'
import type { About, ServiceEvent } from './event.ts'
import { shapeFor } from './shapes.ts'

interface Subject {
  readonly name: EventName
  /** Whom it is about; undefined for events of the account. */
  readonly customer: string | undefined
  readonly number: ConnectedNumber
  /** The id of the message that it is about, where it is about one. */
  readonly message?: string | undefined
}

/**
 * Tells every subscription what happened; answers the ids of the deliveries. Under the callback override, which is
 * exclusive with subscriptions, nobody is told (DEL-10); and by a switch nobody is told of the declared events.
 */
export function publish(
  state: State,
  { name, customer, number, message }: Subject,
  payload: (about: About) => object,
): string[] {
  if (number.callbackOverride) return []
  if (EVENTS[name] === 'declared' && state.assumptions.declaredEvents === 'unpublished') return []
  const id = state.ids.event()
  const told = payload({ eventId: id, number, now: state.clock.now() })
  return handOut(state, { id, name, customer, message, body: Buffer.from(JSON.stringify(told)) })
}

/** One of the declared events, in the shape whose turn it is. */
export function publishDeclared(state: State, subject: Subject, told: Told): string[] {
  return publish(state, subject, (about) => declaredPayload(state, subject.name, told, about))
}

export function declaredPayload(state: State, name: EventName, told: Told, about: About): object {
  return shapeFor(DECLARED_SHAPES, state.turn.declared++, state.assumptions.payloadShape)(name, told, about)
}

/** To all subscriptions, or to one of them, and into the log. */
export function handOut(state: State, event: ServiceEvent, only?: Subscription): string[] {
  const deliveryIds = state.deliverer.deliver(event, only)
  state.events.add({ ...event, at: state.clock.now(), deliveryIds })
  const { id, name, customer = null } = event
  state.tell('event', { event: { id, event: name, customer, deliveryIds } })
  return deliveryIds
}
