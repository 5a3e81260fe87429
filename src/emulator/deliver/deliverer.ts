import PQueue from 'p-queue'
import { setMaxListeners } from 'node:events'
import { deliveryHeaders, type DeliveryHeaders, EMULATOR_FAULT } from '../../service/contract.ts'
import type { ServiceEvent } from '../events/event.ts'
import { DELIVERY_FAULTS } from '../model/fault-effects.ts'
import { byMs, type DeliveryFaultRule, type DeliveryStage, type Faults } from '../model/faults.ts'
import type { Ids } from '../model/ids.ts'
import type { Schedule, EmulatorClock } from '../model/emulated-clock.ts'
import {
  type Delivery,
  createHistory,
  isAccepted,
  type Attempt,
  type DeliveryRequest,
  type History,
  type Outcome,
  type Repeated,
} from './delivery.ts'
import type { Subscription, Subscriptions } from './subscriptions.ts'
import type { Timers } from '../../base/clock.ts'
import type { Assumptions } from '../model/assumptions.ts'
import { type Post, type Redelivery, alterRequest, post, signedRequest } from './request.ts'

interface DelivererDeps extends AttemptsDeps {
  readonly schedule: Schedule
  readonly ids: Ids
  readonly subscriptions: Subscriptions
}

export type Deliverer = ReturnType<typeof createDeliverer>

/** The longest time for which `shuffle` delays a delivery that no later one overtakes. */
const SHUFFLED_WITHIN_MS = 2_000

export function createDeliverer(deps: DelivererDeps) {
  const { clock, schedule, subscriptions, assumptions } = deps
  const closing = new AbortController()
  setMaxListeners(0, closing.signal)
  const history = createHistory(clock.now)
  const attempts = createAttempts(deps, history, closing.signal)
  const shuffled: Delivery[] = []
  const queues = new WeakMap<Subscription, PQueue>()

  /** Runs an attempt when the subscription has a free slot. A switch may change the number of slots at any time. */
  const inTurn = (subscription: Subscription, run: () => Promise<void>): Promise<void> => {
    const queue = queues.get(subscription) ?? new PQueue()
    queues.set(subscription, queue)
    queue.concurrency = assumptions.attemptsAtOnce
    return queue.add(run)
  }

  const attempt = async (delivery: Delivery, retries: number, startedAt: number): Promise<void> => {
    if (closing.signal.aborted) return
    if (!isReachable(delivery.subscription)) return end(delivery, 'failed')
    // A duplicate from a fault goes out at the same time. Its outcome is only recorded.
    if (retries === 0 && attempts.faultAt('twice', delivery))
      void attempts.make(delivery).then(() => history.changed(delivery))
    const made = await attempts.make(delivery)
    if (made === undefined) return
    if (isAccepted(made.outcome, assumptions)) {
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

  const start = (delivery: Delivery, retries = 0, startedAt = schedule.elapsed()): Promise<void> =>
    inTurn(delivery.subscription, () => attempt(delivery, retries, startedAt))

  const deliver = (event: ServiceEvent): string[] => {
    const made = subscriptions
      .list()
      .filter(({ state }) => state === 'active')
      .map((subscription) => newDelivery(event, subscription))
    for (const delivery of made) startInTime(delivery)
    return made.map(({ id }) => id)
  }

  const newDelivery = (source: ServiceEvent, subscription: Subscription): Delivery => {
    const { id: eventId, name: event, customer, message, body } = source
    const at = clock.now()
    const delivery: Delivery = {
      id: deps.ids.delivery(at),
      eventId,
      event,
      customer,
      message,
      body,
      subscription,
      at,
      state: 'pending',
      attempts: [],
      firstSignedAt: undefined,
      lastSigned: undefined,
    }
    history.add(delivery)
    history.changed(delivery)
    return delivery
  }

  const startInTime = (delivery: Delivery): void => {
    const fault = attempts.faultAt('timing', delivery)
    if (fault?.do === 'shuffle') return shuffle(delivery)
    if (fault === undefined) return void start(delivery).then(release)
    const startedAt = schedule.elapsed()
    schedule.later(byMs(fault, '10m'), () => void start(delivery, 0, startedAt))
  }

  const shuffle = (delivery: Delivery): void => {
    shuffled.push(delivery)
    if (shuffled.length === 1) schedule.later(SHUFFLED_WITHIN_MS, () => void release())
  }

  const release = async (): Promise<void> => {
    for (const delivery of shuffled.splice(0).toReversed()) await start(delivery)
  }

  return {
    deliver,
    /** Makes the next attempt of each delivery that waits for a retry now. Returns how many. */
    retry: () => schedule.hasten(),
    /** Makes one more attempt manually. It is recorded, and counts neither as a success nor as a failure. */
    redeliver: attempts.makeManually,
    byId: history.byId,
    headerNames: deliveryHeaders(deps.headerPrefix),
    list: history.list,
    watch: history.watch,
    whenClosed(listener: () => void): () => void {
      closing.signal.addEventListener('abort', listener)
      return () => closing.signal.removeEventListener('abort', listener)
    },
    close(): void {
      closing.abort()
      history.unwatchAll()
    },
  }
}

export interface AttemptsDeps {
  readonly clock: EmulatorClock
  readonly timers: Timers
  readonly faults: Faults
  readonly assumptions: Assumptions
  readonly headerPrefix: string
  readonly post?: Post | undefined
}

function createAttempts(deps: AttemptsDeps, history: History, closing: AbortSignal) {
  const { clock, faults, assumptions } = deps
  const names: DeliveryHeaders = deliveryHeaders(deps.headerPrefix)

  const faultAt = (
    stage: DeliveryStage,
    { event, customer }: Pick<Delivery, 'event' | 'customer'>,
  ): DeliveryFaultRule | undefined => {
    const fits = (rule: DeliveryFaultRule) =>
      DELIVERY_FAULTS[rule.do][0] === stage && (rule.event === undefined || rule.event === event)
    return faults.take({ on: 'delivery', customer, fits })
  }

  const send = (request: DeliveryRequest): Promise<Outcome> =>
    (deps.post ?? post)(request, { timers: deps.timers, timeoutMs: assumptions.attemptTimeoutMs, signal: closing })

  const signAt = (delivery: Delivery, wallMs: number): DeliveryRequest => {
    delivery.lastSigned = signedRequest(delivery, names, clock, wallMs)
    return delivery.lastSigned
  }

  /** Each attempt gets a fresh timestamp. A switch keeps the first attempt's (DEL-08). */
  const timestampOf = (delivery: Delivery, wallMs: number): number => {
    delivery.firstSignedAt ??= wallMs
    return assumptions.retriesSigned === 'as_first' ? delivery.firstSignedAt : wallMs
  }

  const requestFor = (delivery: Delivery, wallMs: number): DeliveryRequest => {
    const fault = faultAt('signing', delivery)
    const isStale = fault?.do === 'stale'
    const signed = signAt(delivery, isStale ? wallMs - byMs(fault, '301s') : timestampOf(delivery, wallMs))
    if (fault === undefined) return signed
    const request = isStale ? signed : alterRequest(signed, names, { tamper: 'body' })
    return { ...request, headers: { ...request.headers, [EMULATOR_FAULT]: fault.do } }
  }

  const record = (
    delivery: Delivery,
    request: DeliveryRequest,
    startedAt: number,
    outcome: Outcome,
    why?: Repeated,
  ): Attempt => {
    const wall = { at: startedAt, tookMs: clock.wall() - startedAt }
    const attempt = { at: clock.now(), wall, request, outcome, ...(why && { why }) }
    history.record(delivery, attempt)
    return attempt
  }

  return {
    faultAt,
    async make(delivery: Delivery): Promise<Attempt | undefined> {
      // Read the clock once: a second that begins between two readings would show a skew that the receiver never saw.
      const startedAt = clock.wall()
      const request = requestFor(delivery, startedAt)
      const outcome = await send(request)
      if (closing.aborted) return undefined
      const isLost = 'status' in outcome && faultAt('answer', delivery) !== undefined
      return record(delivery, request, startedAt, isLost ? { error: 'answer_lost' } : outcome)
    },
    /** Makes one manual attempt. Faults do not apply. */
    async makeManually(delivery: Delivery, how: Redelivery): Promise<Attempt> {
      const last = how.exact ? delivery.lastSigned : undefined
      const startedAt = clock.wall()
      const request = alterRequest(last ?? signAt(delivery, startedAt + (how.timestampOffsetMs ?? 0)), names, how)
      const attempt = record(delivery, request, startedAt, await send(request), how.why)
      history.changed(delivery)
      return attempt
    },
  }
}
