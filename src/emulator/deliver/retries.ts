import PQueue from 'p-queue'
import type { Assumptions } from '../model/assumptions.ts'
import type { Schedule } from '../model/schedule.ts'
import type { Attempts } from './attempts.ts'
import { type Delivery, isSuccess } from './delivery.ts'
import type { History } from './history.ts'
import type { Subscription, Subscriptions } from './subscriptions.ts'

/**
 * Makes the next attempt of a delivery when its subscription has a free place. After a failure the next attempt is
 * scheduled, until the time for retries is over. `retries`: how many attempts went before, without the first one.
 * `startedAt`: when the first attempt became due, by the schedule's time.
 */
export type Attempt = (delivery: Delivery, retries?: number, startedAt?: number) => Promise<void>

export interface RetriesDeps {
  readonly schedule: Schedule
  readonly subscriptions: Subscriptions
  readonly assumptions: Assumptions
  readonly history: History
  readonly attempts: Attempts
  readonly closing: AbortSignal
}

/** Takes deliveries from one attempt to the next, and counts their failures against the subscription. */
export function createRetries(deps: RetriesDeps): Attempt {
  const { schedule, subscriptions, assumptions, history, attempts, closing } = deps
  const queues = new WeakMap<Subscription, PQueue>()

  /** Runs an attempt when the subscription has a free place. How many places there are may be switched at any time. */
  const inTurn = (subscription: Subscription, run: () => Promise<void>): Promise<void> => {
    const queue = queues.get(subscription) ?? new PQueue()
    queues.set(subscription, queue)
    const adjust = () => {
      queue.concurrency = assumptions.attemptsAtOnce
    }
    adjust()
    return queue.add(() => run().finally(adjust))
  }

  const attempt = async (delivery: Delivery, retries: number, startedAt: number): Promise<void> => {
    if (closing.aborted) return
    if (!isReachable(delivery.subscription)) return end(delivery, 'failed')
    // A duplicate by fault goes out at the same time: it is only recorded, whatever its outcome.
    if (retries === 0 && attempts.faultAt('twice', delivery))
      void attempts.make(delivery).then(() => history.changed(delivery))
    const made = await attempts.make(delivery)
    if (made === undefined) return
    if (isSuccess(made.outcome)) {
      subscriptions.succeeded(delivery.subscription)
      return end(delivery, 'delivered')
    }
    if (assumptions.failuresCounted === 'attempts') subscriptions.failed(delivery.subscription)
    retryLater(delivery, retries, startedAt)
  }

  const retryLater = (delivery: Delivery, retries: number, startedAt: number): void => {
    const wait = assumptions.retryAfterMs[retries] ?? assumptions.retryAfterMs.at(-1)
    const isOver = wait === undefined || schedule.elapsed() - startedAt + wait > assumptions.retryForMs
    if (isOver && assumptions.failuresCounted === 'deliveries') subscriptions.failed(delivery.subscription)
    if (isOver || !isReachable(delivery.subscription)) return end(delivery, 'failed')
    schedule.later(wait, { do: 'attempt', deliveryId: delivery.id, retries: retries + 1, startedAt })
    history.changed(delivery)
  }

  const isReachable = (subscription: Subscription) =>
    subscription.state === 'active' && subscriptions.byId(subscription.id) === subscription

  const end = (delivery: Delivery, state: 'delivered' | 'failed'): void => {
    delivery.state = state
    history.changed(delivery)
  }

  return (delivery, retries = 0, startedAt = schedule.elapsed()) =>
    inTurn(delivery.subscription, () => attempt(delivery, retries, startedAt))
}
