import { z } from 'zod'
import { moment } from '../time/bounds.ts'
import type { Attempt, Delivery, DeliveryRequest } from './delivery.ts'
import type { Subscriptions } from './subscriptions.ts'

const bytes = z.base64()
const texts = z.record(z.string(), z.string())

const requestSchema = z.strictObject({
  url: z.string(),
  headers: texts,
  /** Only where it is not the delivery's own body. */
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

export function savedDelivery(delivery: Delivery): SavedDelivery {
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

/** The delivery again. One whose subscription is gone stands for itself; nothing more is sent there. */
export function wasSaved(saved: SavedDelivery, subscriptions: Pick<Subscriptions, 'byId'>): Delivery {
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
