import { fire, type Fired, firingSchema } from '../events/by-hand.ts'
import { iso } from '../events/event.ts'
import type { HttpRequest } from '../http/messages.ts'
import type { State } from '../state.ts'
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
