import { type EventName, EVENTS } from '../../contract/index.ts'
import { fire, type Fired, firingSchema } from '../events/by-hand.ts'
import { iso } from '../events/event.ts'
import { examplePayload } from '../events/examples.ts'
import type { HttpRequest } from '../http/messages.ts'
import { createIds, seededRandom } from '../ids.ts'
import { numberByIdOrFirst } from '../service/account.ts'
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
