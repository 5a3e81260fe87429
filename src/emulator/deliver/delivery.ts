import { EMULATOR_FAULT } from '../../service/endpoints.ts'
import type { Assumptions } from '../model/assumptions.ts'
import { iso } from '../model/emulated-clock.ts'
import type { Subscription } from './subscriptions.ts'
import { ATTEMPTS_KEPT_MS, EVENTS_KEPT_MS } from '../events/event.ts'

export interface DeliveryRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

export type Outcome =
  | { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: string }
  | { readonly error: AttemptError }

export type AttemptError = 'timeout' | 'connection_refused' | 'connection_failed' | 'answer_lost'

export interface Attempt {
  /** Milliseconds since the epoch, by the emulator's clock. */
  readonly at: number
  /** By this machine's clock: when the attempt began, and how long it took, in milliseconds. */
  readonly wall: { readonly at: number; readonly tookMs: number }
  readonly request: DeliveryRequest
  readonly outcome: Outcome
  readonly why?: Repeated
}

/** Why the emulator sent an accepted delivery again. `clock_moved`: so that the app learns the new time. */
export type Repeated = 'clock_moved'

/**
 * One event on its way to one subscription.
 *
 * `pending` becomes `delivered` when the app accepts it. It becomes `failed` when the retries are used up, or when the
 * subscription was disabled or removed meanwhile.
 */
export interface Delivery {
  readonly id: string
  /** The deliveries of one event to several subscriptions have the same `eventId`. */
  readonly eventId: string
  readonly event: string
  readonly customer: string | undefined
  readonly message: string | undefined
  readonly body: Buffer
  readonly subscription: Subscription
  /** Milliseconds since the epoch, by the emulator's clock. */
  readonly at: number
  state: 'pending' | 'delivered' | 'failed'
  attempts: readonly Attempt[]
  /** By this machine's clock. If `retriesSigned` is `as_first`, retries have this timestamp too (DEL-08). */
  firstSignedAt: number | undefined
  /** The last attempt's request as it was signed, before a fault or a person changed what went out. */
  lastSigned: DeliveryRequest | undefined
}

/** True if the app accepted a delivery with a 2xx, or with a 3xx if `redirects` is `taken` (GEN-16). */
export function isAccepted(outcome: Outcome, { redirects }: Pick<Assumptions, 'redirects'>): boolean {
  const last = redirects === 'taken' ? 399 : 299
  return 'status' in outcome && outcome.status >= 200 && outcome.status <= last
}

export type DeliveryView = {
  readonly id: string
  readonly eventId: string
  readonly event: string
  readonly subscription: string
  readonly customer: string | null
  readonly message: string | null
  readonly at: string
  readonly state: Delivery['state']
  readonly attempts: readonly AttemptView[]
}

export type AttemptOutcome = {
  readonly tookMs: number
  /** The app's status; null if there was no answer, and `error` contains the reason. */
  readonly status: number | null
  readonly error?: AttemptError
  /** The armed fault that changed the delivery, or removed its answer. */
  readonly fault?: string
  readonly why?: Repeated
}

export type AttemptView = AttemptOutcome & {
  readonly at: string
  readonly request: { readonly url: string; readonly headers: Readonly<Record<string, string>>; readonly body: string }
  readonly response: { readonly headers: Readonly<Record<string, string>>; readonly body: string } | null
}

export function deliveryView(delivery: Delivery): DeliveryView {
  return {
    id: delivery.id,
    eventId: delivery.eventId,
    event: delivery.event,
    subscription: delivery.subscription.id,
    customer: delivery.customer ?? null,
    message: delivery.message ?? null,
    at: iso(delivery.at),
    state: delivery.state,
    attempts: delivery.attempts.map(attemptView),
  }
}

export function attemptView(attempt: Attempt): AttemptView {
  const { at, request, outcome } = attempt
  return {
    at: iso(at),
    ...attemptOutcome(attempt),
    request: { ...request, body: request.body.toString('utf8') },
    response: 'status' in outcome ? { headers: outcome.headers, body: outcome.body } : null,
  }
}

export function attemptOutcome({ wall: { tookMs }, request, outcome, why }: Attempt): AttemptOutcome {
  const answer = 'status' in outcome ? { status: outcome.status } : { status: null, error: outcome.error }
  const lost = 'error' in outcome && outcome.error === 'answer_lost' ? 'lose_answer' : undefined
  const fault = lost ?? request.headers[EMULATOR_FAULT]
  return { tookMs, ...answer, ...(fault !== undefined && { fault }), ...(why && { why }) }
}

export type History = ReturnType<typeof createHistory>

export function createHistory(now: () => number) {
  const deliveries = new Map<string, Delivery>()
  const listeners = new Set<(delivery: Delivery) => void>()

  /** Removes what the dashboard no longer shows: attempts after 7 days, deliveries after 30 (DEL-13). */
  const dropOld = (delivery: Delivery) => {
    if (delivery.state !== 'pending' && now() - delivery.at > EVENTS_KEPT_MS) deliveries.delete(delivery.id)
    const kept = delivery.attempts.filter(({ at }) => now() - at <= ATTEMPTS_KEPT_MS)
    if (kept.length === 0 && delivery.attempts.length > 0) delivery.lastSigned = undefined
    delivery.attempts = kept
  }

  return {
    add: (delivery: Delivery) => void deliveries.set(delivery.id, delivery),
    byId(id: string): Delivery | undefined {
      const known = deliveries.get(id)
      if (known) dropOld(known)
      return deliveries.get(id)
    },
    list(): readonly Delivery[] {
      for (const delivery of deliveries.values()) dropOld(delivery)
      return [...deliveries.values()]
    },
    changed(delivery: Delivery): void {
      for (const listener of listeners) listener(delivery)
    },
    watch(listener: (delivery: Delivery) => void): () => void {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    unwatchAll: () => listeners.clear(),
  }
}
