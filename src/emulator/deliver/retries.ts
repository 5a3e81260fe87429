import type { Assumptions } from '../model/assumptions.ts'
import type { Schedule } from '../model/schedule.ts'
import type { Attempts } from './attempts.ts'
import { type Delivery, isSuccess } from './delivery.ts'
import type { History } from './history.ts'
import type { Subscription, Subscriptions } from './subscriptions.ts'

/**
 * Makes the next attempt of a delivery in its subscription's turn; after a failure the one after it becomes due later,
 * until the time for retries is over. `retries`: how many went before, counted without the first attempt. `startedAt`:
 * when the first became due, in milliseconds of the schedule.
 */
export type Begin = (delivery: Delivery, retries?: number, startedAt?: number) => Promise<void>

export interface CourseParts {
  readonly schedule: Schedule
  readonly subscriptions: Subscriptions
  readonly assumptions: Assumptions
  readonly history: History
  readonly attempts: Attempts
  readonly closing: AbortSignal
}

/** The course of a delivery from one attempt to the next, and what its failures count for. */
export function createCourse(parts: CourseParts): Begin {
  const { schedule, subscriptions, assumptions, history, attempts, closing } = parts
  const turns = new Map<Subscription, ReturnType<typeof createTurns>>()

  const turnOf = (subscription: Subscription) => {
    const known = turns.get(subscription)
    if (known) return known
    const turn = createTurns(() => assumptions.attemptsAtOnce)
    turns.set(subscription, turn)
    return turn
  }

  const attempt = async (delivery: Delivery, retries: number, startedAt: number): Promise<void> => {
    if (closing.aborted) return
    if (!isReachable(delivery.subscription)) return end(delivery, 'failed')
    // A second one at the very same time: it is only recorded, whatever comes of it.
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
    turnOf(delivery.subscription)(() => attempt(delivery, retries, startedAt))
}

/** Lets at most `atOnce` of the given tasks run at a time, the others in their order; asked anew each time. */
export function createTurns(atOnce: () => number): <T>(task: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = []
  let running = 0
  const letIn = () => {
    while (running < atOnce()) {
      const next = waiting.shift()
      if (next === undefined) return
      running++
      next()
    }
  }
  return async (task) => {
    if (waiting.length === 0 && running < atOnce()) running++
    else {
      const turn = new Promise<void>((resolve) => waiting.push(resolve))
      letIn()
      await turn
    }
    try {
      return await task()
    } finally {
      running--
      letIn()
    }
  }
}
