import { setMaxListeners } from 'node:events'
import type { Timers } from '../../base/clock.ts'
import { type DeliveryHeaders, deliveryHeaders } from '../../contract/index.ts'
import type { Assumptions } from '../assumptions.ts'
import type { ServiceEvent } from '../events/event.ts'
import type { Faults } from '../faults/faults.ts'
import type { Ids } from '../ids.ts'
import type { EmulatorClock } from '../time/clock.ts'
import type { Schedule } from '../time/schedule.ts'
import { type Attempt, type Delivery, type DeliveryRequest, isSuccess, type Outcome } from './delivery.ts'
import { post } from './post.ts'
import { altered, type Redelivery } from './redelivery.ts'
import { requestOf } from './request.ts'
import type { Subscription, Subscriptions } from './subscriptions.ts'
import { createTurns } from './turns.ts'

export interface DelivererParts {
  readonly clock: EmulatorClock
  readonly schedule: Schedule
  readonly timers: Timers
  readonly ids: Ids
  readonly subscriptions: Subscriptions
  readonly faults: Faults
  readonly assumptions: Assumptions
  readonly headerPrefix: string
}

/** Brings events to the subscriptions: at least once, in no promised order. */
export interface Deliverer {
  /** One delivery per active subscription, begun at once; answers their ids. */
  deliver(event: ServiceEvent): string[]
  /** One more attempt of a delivery, by hand: it is recorded, and counts neither as a success nor as a failure. */
  redeliver(delivery: Delivery, how: Redelivery): Promise<Attempt>
  byId(id: string): Delivery | undefined
  list(): readonly Delivery[]
  /** Calls `listener` after each change of a delivery; the answer stops that. */
  watch(listener: (delivery: Delivery) => void): () => void
  /** Aborted by `close`. */
  readonly closing: AbortSignal
  close(): void
}

export function createDeliverer(parts: DelivererParts): Deliverer {
  const { clock, schedule, subscriptions, faults, assumptions } = parts
  const names: DeliveryHeaders = deliveryHeaders(parts.headerPrefix)
  const deliveries = new Map<string, Delivery>()
  const listeners = new Set<(delivery: Delivery) => void>()
  const turns = new Map<Subscription, ReturnType<typeof createTurns>>()
  const closing = new AbortController()
  setMaxListeners(0, closing.signal)

  const turnOf = (subscription: Subscription) => {
    const known = turns.get(subscription)
    if (known) return known
    const turn = createTurns(assumptions.attemptsAtOnce)
    turns.set(subscription, turn)
    return turn
  }

  const send = (request: DeliveryRequest): Promise<Outcome> =>
    post(request, { timers: parts.timers, timeoutMs: assumptions.attemptTimeoutMs, signal: closing.signal })

  const changed = (delivery: Delivery) => {
    for (const listener of listeners) listener(delivery)
  }

  const signedAt = (delivery: Delivery, wallMs: number): DeliveryRequest => {
    delivery.lastSigned = requestOf(delivery, names, clock, wallMs)
    return delivery.lastSigned
  }

  const record = (delivery: Delivery, request: DeliveryRequest, outcome: Outcome): Attempt => {
    const attempt = { at: clock.now(), request, outcome }
    delivery.attempts.push(attempt)
    return attempt
  }

  const begin = (delivery: Delivery, retries: number, startedAt: number): void => {
    void turnOf(delivery.subscription)(() => attempt(delivery, retries, startedAt))
  }

  const attempt = async (delivery: Delivery, retries: number, startedAt: number): Promise<void> => {
    if (closing.signal.aborted) return
    if (!isReachable(delivery.subscription)) return end(delivery, 'failed')
    const request = signedAt(delivery, clock.wall())
    const outcome = losingAnswers(delivery, await send(request))
    if (closing.signal.aborted) return
    record(delivery, request, outcome)
    if (isSuccess(outcome)) {
      subscriptions.succeeded(delivery.subscription)
      return end(delivery, 'delivered')
    }
    subscriptions.failed(delivery.subscription)
    retryLater(delivery, retries, startedAt)
  }

  const losingAnswers = (delivery: Delivery, outcome: Outcome): Outcome =>
    'status' in outcome && faults.take({ on: 'delivery', customer: delivery.customer })
      ? { error: 'answer_lost' }
      : outcome

  const retryLater = (delivery: Delivery, retries: number, startedAt: number): void => {
    const wait = assumptions.retryAfterMs[retries] ?? assumptions.retryAfterMs.at(-1)
    const passed = schedule.elapsed() - startedAt
    if (wait === undefined || passed + wait > assumptions.retryForMs || !isReachable(delivery.subscription))
      return end(delivery, 'failed')
    schedule.after(wait, () => begin(delivery, retries + 1, startedAt))
    changed(delivery)
  }

  const isReachable = (subscription: Subscription) =>
    subscription.state === 'active' && subscriptions.byId(subscription.id) === subscription

  const end = (delivery: Delivery, state: 'delivered' | 'failed'): void => {
    delivery.state = state
    changed(delivery)
  }

  return {
    deliver: (event) =>
      subscriptions
        .list()
        .filter((subscription) => subscription.state === 'active')
        .map((subscription) => {
          const id = parts.ids.delivery(clock.now())
          const { name, customer, body } = event
          const delivery: Delivery = {
            id,
            event: name,
            customer,
            body,
            subscription,
            at: clock.now(),
            state: 'pending',
            attempts: [],
            lastSigned: undefined,
          }
          deliveries.set(id, delivery)
          changed(delivery)
          begin(delivery, 0, schedule.elapsed())
          return id
        }),
    async redeliver(delivery, how) {
      const last = how.exact ? delivery.lastSigned : undefined
      const signed = last ?? signedAt(delivery, clock.wall() + (how.timestampOffsetMs ?? 0))
      const request = altered(signed, names, how)
      const made = record(delivery, request, await send(request))
      changed(delivery)
      return made
    },
    byId: (id) => deliveries.get(id),
    list: () => [...deliveries.values()],
    watch(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    closing: closing.signal,
    close() {
      closing.abort()
      listeners.clear()
    },
  }
}
