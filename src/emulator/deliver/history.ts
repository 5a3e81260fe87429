import { z } from 'zod'
import { ATTEMPTS_KEPT_MS, EVENTS_KEPT_MS, PRUNE_EVERY_MS } from '../events/log.ts'
import { moment } from '../model/clock.ts'
import type { Attempt, Delivery, DeliveryRequest } from './delivery.ts'
import type { Subscriptions } from './subscriptions.ts'

/** The deliveries that are still known: attempts for 7 days, deliveries as long as their event (DEL-13). */
export interface History {
  add(delivery: Delivery): void
  byId(id: string): Delivery | undefined
  /** Oldest first. */
  list(): readonly Delivery[]
  record(delivery: Delivery, attempt: Attempt): void
  /** Must be called after each change of a delivery; calls those who watch. */
  changed(delivery: Delivery): void
  watch(listener: (delivery: Delivery) => void): () => void
  unwatchAll(): void
  /** Forgets what is too old, unless that was done a moment ago. */
  pruneInTime(): void
}

/** `now` is the emulator's clock; `pruned` is called with each delivery that is forgotten, or has fewer attempts. */
export function createHistory(now: () => number, pruned: (id: string) => void): History {
  const deliveries = new Map<string, Delivery>()
  const listeners = new Set<(delivery: Delivery) => void>()
  let prunedAt = now()

  const prune = () => {
    prunedAt = now()
    for (const delivery of deliveries.values()) {
      const isOver = delivery.state !== 'pending' && prunedAt - delivery.at > EVENTS_KEPT_MS
      if (isOver) deliveries.delete(delivery.id)
      if (isOver || dropAttempts(delivery, prunedAt)) pruned(delivery.id)
    }
  }

  const pruneInTime = () => {
    if (Math.abs(now() - prunedAt) >= PRUNE_EVERY_MS) prune()
  }

  return {
    add: (delivery) => void deliveries.set(delivery.id, delivery),
    byId(id) {
      pruneInTime()
      return deliveries.get(id)
    },
    list() {
      prune()
      return [...deliveries.values()]
    },
    record(delivery, attempt) {
      delivery.attempts = [...delivery.attempts, attempt]
    },
    changed(delivery) {
      for (const listener of listeners) listener(delivery)
    },
    watch(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    unwatchAll: () => listeners.clear(),
    pruneInTime,
  }
}

function dropAttempts(delivery: Delivery, now: number): boolean {
  const kept = delivery.attempts.filter(({ at }) => now - at <= ATTEMPTS_KEPT_MS)
  if (kept.length === delivery.attempts.length) return false
  delivery.attempts = kept
  if (kept.length === 0) delivery.lastSigned = undefined
  return true
}

const bytes = z.base64()
const texts = z.record(z.string(), z.string())

const requestSchema = z.strictObject({
  url: z.string(),
  headers: texts,
  /** Only if it is not the delivery's own body. */
  body: bytes.optional(),
})

const attemptSchema = z.strictObject({
  at: moment,
  wall: z.strictObject({ at: moment, tookMs: z.number() }),
  request: requestSchema,
  outcome: z.union([
    z.strictObject({ status: z.int(), headers: texts, body: z.string() }),
    z.strictObject({ error: z.enum(['timeout', 'connection_refused', 'connection_failed', 'answer_lost']) }),
  ]),
})

/** A delivery as a snapshot holds it: bytes in base64, since they must come back exactly. */
export const savedDeliverySchema = z.strictObject({
  id: z.string(),
  eventId: z.string(),
  event: z.string(),
  customer: z.string().nullable(),
  message: z.string().nullable(),
  body: bytes,
  subscription: z.strictObject({ id: z.string(), url: z.string() }),
  at: moment,
  state: z.enum(['pending', 'delivered', 'failed']),
  attempts: z.array(attemptSchema),
  firstSignedAt: moment.nullable(),
  lastSigned: requestSchema.nullable(),
})

export type SavedDelivery = z.infer<typeof savedDeliverySchema>
type SavedRequest = z.infer<typeof requestSchema>

export function saveDelivery(delivery: Delivery): SavedDelivery {
  const { id, url } = delivery.subscription
  const request = (it: DeliveryRequest): SavedRequest => ({
    url: it.url,
    headers: { ...it.headers },
    ...(it.body.equals(delivery.body) ? {} : { body: it.body.toString('base64') }),
  })
  return {
    id: delivery.id,
    eventId: delivery.eventId,
    event: delivery.event,
    customer: delivery.customer ?? null,
    message: delivery.message ?? null,
    body: delivery.body.toString('base64'),
    subscription: { id, url },
    at: delivery.at,
    state: delivery.state,
    attempts: delivery.attempts.map(({ at, wall, request: sent, outcome }) => ({
      at,
      wall: { ...wall },
      request: request(sent),
      outcome: 'status' in outcome ? { ...outcome, headers: { ...outcome.headers } } : outcome,
    })),
    firstSignedAt: delivery.firstSignedAt ?? null,
    lastSigned: delivery.lastSigned ? request(delivery.lastSigned) : null,
  }
}

/** A delivery out of a snapshot. If its subscription is gone, a disabled one takes its place: nothing more is sent there. */
export function restoreDelivery(saved: SavedDelivery, subscriptions: Pick<Subscriptions, 'byId'>): Delivery {
  const body = Buffer.from(saved.body, 'base64')
  const request = (it: SavedRequest): DeliveryRequest => ({
    ...it,
    body: it.body === undefined ? body : Buffer.from(it.body, 'base64'),
  })
  const attempts: Attempt[] = saved.attempts.map((attempt) => ({ ...attempt, request: request(attempt.request) }))
  const { id, url } = saved.subscription
  return {
    ...saved,
    customer: saved.customer ?? undefined,
    message: saved.message ?? undefined,
    body,
    subscription: subscriptions.byId(id) ?? { id, url, secret: '', state: 'disabled', failures: 0 },
    attempts,
    firstSignedAt: saved.firstSignedAt ?? undefined,
    lastSigned: saved.lastSigned === null ? undefined : request(saved.lastSigned),
  }
}
