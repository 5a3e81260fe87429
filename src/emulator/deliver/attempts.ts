import PQueue from 'p-queue'
import type { Timers } from '../../base/clock.ts'
import { type DeliveryHeaders, deliveryHeaders, EMULATOR_FAULT } from '../../contract/index.ts'
import type { Assumptions } from '../model/assumptions.ts'
import type { EmulatorClock, Schedule } from '../model/clock.ts'
import { type DeliveryFaultRule, type DeliveryStage, type Faults, byMs, stageOf } from '../model/faults.ts'
import { type Attempt, type Delivery, type DeliveryRequest, type History, type Outcome, isTaken } from './delivery.ts'
import { type Post, type Redelivery, alterRequest, post, signedRequest } from './request.ts'
import type { Subscription, Subscriptions } from './subscriptions.ts'

/**
 * Makes the next attempt of a delivery when its subscription has a free place. After a failure the next attempt is
 * scheduled, until the time for retries is over. `retries`: how many attempts went before, without the first one.
 * `startedAt`: when the first attempt became due, by the schedule's time.
 */
type StartAttempt = (delivery: Delivery, retries?: number, startedAt?: number) => Promise<void>

interface RetriesDeps {
  readonly schedule: Schedule
  readonly subscriptions: Subscriptions
  readonly assumptions: Assumptions
  readonly history: History
  readonly attempts: Attempts
  readonly closing: AbortSignal
}

/** Takes deliveries from one attempt to the next, and counts their failures against the subscription. */
export function createRetries(deps: RetriesDeps): StartAttempt {
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
    if (isTaken(made.outcome, assumptions)) {
      subscriptions.succeeded(delivery.subscription)
      return end(delivery, 'delivered')
    }
    retryLater(delivery, retries, startedAt)
  }

  const retryLater = (delivery: Delivery, retries: number, startedAt: number): void => {
    const wait = assumptions.retryAfterMs[retries] ?? assumptions.retryAfterMs.at(-1)
    const isOver = wait === undefined || schedule.elapsed() - startedAt + wait > assumptions.retryForMs
    if (isOver) subscriptions.failed(delivery.subscription)
    if (isOver || !isReachable(delivery.subscription)) return end(delivery, 'failed')
    schedule.later(wait, () => void start(delivery, retries + 1, startedAt), true)
    history.changed(delivery)
  }

  const isReachable = (subscription: Subscription) =>
    subscription.state === 'active' && subscriptions.byId(subscription.id) === subscription

  const end = (delivery: Delivery, state: 'delivered' | 'failed'): void => {
    delivery.state = state
    history.changed(delivery)
  }

  const start: StartAttempt = (delivery, retries = 0, startedAt = schedule.elapsed()) =>
    inTurn(delivery.subscription, () => attempt(delivery, retries, startedAt))
  return start
}

export type Attempts = ReturnType<typeof createAttempts>

export interface AttemptsDeps {
  readonly clock: EmulatorClock
  readonly timers: Timers
  readonly faults: Faults
  readonly assumptions: Assumptions
  readonly headerPrefix: string
  /** Posts a delivery; default: over HTTP. */
  readonly post?: Post | undefined
}

const WRONG_SECRET = 'whsec_nobody-has-this-one'

/** Makes single attempts: signs, posts and records them, with the faults that strike one. */
export function createAttempts(deps: AttemptsDeps, history: History, closing: AbortSignal) {
  const { clock, faults, assumptions } = deps
  const names: DeliveryHeaders = deliveryHeaders(deps.headerPrefix)

  /** The rule that strikes a delivery at this stage, if any. */
  const faultAt = (
    stage: DeliveryStage,
    { event, customer }: Pick<Delivery, 'event' | 'customer'>,
  ): DeliveryFaultRule | undefined => {
    const fits = (rule: DeliveryFaultRule) =>
      stageOf(rule.do) === stage && (rule.event === undefined || rule.event === event)
    return faults.take({ on: 'delivery', customer, fits })?.rule
  }

  const send = (request: DeliveryRequest): Promise<Outcome> =>
    (deps.post ?? post)(request, { timers: deps.timers, timeoutMs: assumptions.attemptTimeoutMs, signal: closing })

  const signAt = (delivery: Delivery, wallMs: number, secret?: string): DeliveryRequest => {
    delivery.lastSigned = signedRequest(delivery, names, clock, wallMs, secret)
    return delivery.lastSigned
  }

  /** A fresh timestamp for each attempt, or by a switch the first attempt's (DEL-08). */
  const timestampOf = (delivery: Delivery, wallMs: number): number => {
    delivery.firstSignedAt ??= wallMs
    return assumptions.retriesSigned === 'as_first' ? delivery.firstSignedAt : wallMs
  }

  const requestFor = (delivery: Delivery, wallMs: number): DeliveryRequest => {
    const fault = faultAt('signing', delivery)
    if (fault === undefined) return signAt(delivery, timestampOf(delivery, wallMs))
    const request = spoiltBy(fault, delivery, wallMs)
    return { ...request, headers: { ...request.headers, [EMULATOR_FAULT]: fault.do } }
  }

  const spoiltBy = (fault: DeliveryFaultRule, delivery: Delivery, wallMs: number): DeliveryRequest => {
    if (fault.do === 'stale') return signAt(delivery, wallMs - byMs(fault, '301s'))
    const timestamp = timestampOf(delivery, wallMs)
    if (fault.do === 'wrong_secret') return signAt(delivery, timestamp, WRONG_SECRET)
    return alterRequest(signAt(delivery, timestamp), names, { tamper: fault.what ?? 'body' })
  }

  const record = (delivery: Delivery, request: DeliveryRequest, startedAt: number, outcome: Outcome): Attempt => {
    const wall = { at: startedAt, tookMs: clock.wall() - startedAt }
    const attempt = { at: clock.now(), wall, request, outcome }
    history.record(delivery, attempt)
    return attempt
  }

  return {
    faultAt,
    /** Makes one attempt; answers undefined if the emulator was closed meanwhile. */
    async make(delivery: Delivery): Promise<Attempt | undefined> {
      // One reading: a second that begins before another one would show a skew that the receiver never saw.
      const startedAt = clock.wall()
      const request = requestFor(delivery, startedAt)
      const outcome = await send(request)
      if (closing.aborted) return undefined
      const isLost = 'status' in outcome && faultAt('answer', delivery) !== undefined
      return record(delivery, request, startedAt, isLost ? { error: 'answer_lost' } : outcome)
    },
    /** Makes one manual attempt, which no fault strikes. */
    async again(delivery: Delivery, how: Redelivery): Promise<Attempt> {
      const last = how.exact ? delivery.lastSigned : undefined
      const startedAt = clock.wall()
      const request = alterRequest(last ?? signAt(delivery, startedAt + (how.timestampOffsetMs ?? 0)), names, how)
      const attempt = record(delivery, request, startedAt, await send(request))
      history.changed(delivery)
      return attempt
    },
  }
}
