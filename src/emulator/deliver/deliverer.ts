import PQueue from 'p-queue'
import { setMaxListeners } from 'node:events'
import { deliveryHeaders, type DeliveryHeaders } from '../../service/delivery.ts'
import { EMULATOR_FAULT } from '../../service/endpoints.ts'
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

/** The longest time for which the fault `shuffle` delays a delivery if no later delivery goes out. */
const SHUFFLED_WITHIN_MS = 2_000

export class Deliverer {
  readonly headerNames: DeliveryHeaders
  readonly history: History
  readonly #deps: DelivererDeps
  readonly #closing = new AbortController()
  readonly #attempts: Attempts
  readonly #shuffled: Delivery[] = []
  readonly #queues = new WeakMap<Subscription, PQueue>()

  constructor(deps: DelivererDeps) {
    this.#deps = deps
    this.headerNames = deliveryHeaders(deps.headerPrefix)
    this.history = createHistory(deps.clock.now)
    this.#attempts = new Attempts(deps, this.headerNames, this.#closing.signal)
    setMaxListeners(0, this.#closing.signal)
  }

  /** Returns the ids of the deliveries: one for each active subscription. */
  deliver(event: ServiceEvent): string[] {
    const made = this.#deps.subscriptions
      .list()
      .filter(({ state }) => state === 'active')
      .map((subscription) => this.#newDelivery(event, subscription))
    for (const delivery of made) this.#startInTime(delivery)
    return made.map(({ id }) => id)
  }

  /** Makes one more attempt manually. It is recorded, and counts neither as a success nor as a failure. */
  async redeliver(delivery: Delivery, how: Redelivery): Promise<Attempt> {
    const attempt = await this.#attempts.makeManually(delivery, how)
    this.history.changed(delivery)
    return attempt
  }

  /** Returns a function that removes the listener. */
  whenClosed(listener: () => void): () => void {
    this.#closing.signal.addEventListener('abort', listener)
    return () => this.#closing.signal.removeEventListener('abort', listener)
  }

  close(): void {
    this.#closing.abort()
    this.history.unwatchAll()
  }

  #newDelivery({ id: eventId, name: event, ...about }: ServiceEvent, subscription: Subscription): Delivery {
    const at = this.#deps.clock.now()
    const delivery: Delivery = {
      id: this.#deps.ids.delivery(at),
      eventId,
      event,
      customer: about.customer,
      message: about.message,
      body: about.body,
      subscription,
      at,
      state: 'pending',
      attempts: [],
      firstSignedAt: undefined,
      lastSigned: undefined,
    }
    this.history.add(delivery)
    this.history.changed(delivery)
    return delivery
  }

  #startInTime(delivery: Delivery): void {
    const { schedule } = this.#deps
    const fault = this.#attempts.faultAt('timing', delivery)
    if (fault?.do === 'shuffle') return this.#shuffle(delivery)
    if (fault === undefined) return void this.#start(delivery).then(() => this.#startShuffled())
    const startedAt = schedule.elapsed()
    schedule.later(byMs(fault, '10m'), () => void this.#start(delivery, 0, startedAt))
  }

  #shuffle(delivery: Delivery): void {
    this.#shuffled.push(delivery)
    if (this.#shuffled.length === 1) this.#deps.schedule.later(SHUFFLED_WITHIN_MS, () => void this.#startShuffled())
  }

  async #startShuffled(): Promise<void> {
    for (const delivery of this.#shuffled.splice(0).toReversed()) await this.#start(delivery)
  }

  /** Makes an attempt when fewer than `attemptsAtOnce` run for the subscription. That limit may change at any time. */
  #start(delivery: Delivery, retries = 0, startedAt = this.#deps.schedule.elapsed()): Promise<void> {
    const { subscription } = delivery
    const queue = this.#queues.get(subscription) ?? new PQueue()
    this.#queues.set(subscription, queue)
    queue.concurrency = this.#deps.assumptions.attemptsAtOnce
    return queue.add(() => this.#attempt(delivery, retries, startedAt))
  }

  async #attempt(delivery: Delivery, retries: number, startedAt: number): Promise<void> {
    const { assumptions, subscriptions } = this.#deps
    if (this.#closing.signal.aborted) return
    if (!this.#isReachable(delivery.subscription)) return this.#end(delivery, 'failed')
    // The fault `duplicate`: a second attempt at the same time. Its outcome is recorded, and has no other effect.
    if (retries === 0 && this.#attempts.faultAt('twice', delivery))
      void this.#attempts.make(delivery).then(() => this.history.changed(delivery))
    const made = await this.#attempts.make(delivery)
    if (made === undefined) return
    if (!isAccepted(made.outcome, assumptions)) return this.#retryLater(delivery, retries, startedAt)
    subscriptions.succeeded(delivery.subscription)
    this.#end(delivery, 'delivered')
  }

  #retryLater(delivery: Delivery, retries: number, startedAt: number): void {
    const { assumptions, schedule, subscriptions } = this.#deps
    const wait = assumptions.retryAfterMs[retries] ?? assumptions.retryAfterMs.at(-1)
    const isOver = wait === undefined || schedule.elapsed() - startedAt + wait > assumptions.retryForMs
    if (isOver) subscriptions.failed(delivery.subscription)
    if (isOver || !this.#isReachable(delivery.subscription)) return this.#end(delivery, 'failed')
    schedule.later(wait, () => void this.#start(delivery, retries + 1, startedAt), true)
    this.history.changed(delivery)
  }

  #isReachable(subscription: Subscription): boolean {
    return subscription.state === 'active' && this.#deps.subscriptions.byId(subscription.id) === subscription
  }

  #end(delivery: Delivery, state: 'delivered' | 'failed'): void {
    delivery.state = state
    this.history.changed(delivery)
  }
}

interface AttemptsDeps {
  readonly clock: EmulatorClock
  readonly timers: Timers
  readonly faults: Faults
  readonly assumptions: Assumptions
  readonly headerPrefix: string
  readonly post?: Post | undefined
}

class Attempts {
  readonly #deps: AttemptsDeps
  readonly #names: DeliveryHeaders
  readonly #closing: AbortSignal

  constructor(deps: AttemptsDeps, names: DeliveryHeaders, closing: AbortSignal) {
    this.#deps = deps
    this.#names = names
    this.#closing = closing
  }

  /** Returns an armed fault of this stage that matches the delivery, if there is one, and uses it up. */
  faultAt(
    stage: DeliveryStage,
    { event, customer }: Pick<Delivery, 'event' | 'customer'>,
  ): DeliveryFaultRule | undefined {
    const fits = (rule: DeliveryFaultRule) =>
      DELIVERY_FAULTS[rule.do][0] === stage && (rule.event === undefined || rule.event === event)
    return this.#deps.faults.take({ on: 'delivery', customer, fits })
  }

  /** Undefined if the emulator was closed meanwhile. */
  async make(delivery: Delivery): Promise<Attempt | undefined> {
    // Sign and record with one reading of the clock: two readings in different seconds would show a skew on the page.
    const startedAt = this.#deps.clock.wall()
    const request = this.#requestFor(delivery, startedAt)
    const outcome = await this.#send(request)
    if (this.#closing.aborted) return undefined
    const isLost = 'status' in outcome && this.faultAt('answer', delivery) !== undefined
    return this.#record(delivery, request, startedAt, isLost ? { error: 'answer_lost' } : outcome)
  }

  /** Faults do not apply to a manual attempt. */
  async makeManually(delivery: Delivery, how: Redelivery): Promise<Attempt> {
    const last = how.exact ? delivery.lastSigned : undefined
    const startedAt = this.#deps.clock.wall()
    const signed = last ?? this.#signAt(delivery, startedAt + (how.timestampOffsetMs ?? 0))
    const request = alterRequest(signed, this.#names, how)
    return this.#record(delivery, request, startedAt, await this.#send(request), how.why)
  }

  #send(request: DeliveryRequest): Promise<Outcome> {
    const { timers, assumptions } = this.#deps
    const options = { timers, timeoutMs: assumptions.attemptTimeoutMs, signal: this.#closing }
    return (this.#deps.post ?? post)(request, options)
  }

  #signAt(delivery: Delivery, wallMs: number): DeliveryRequest {
    delivery.lastSigned = signedRequest(delivery, this.#names, this.#deps.clock, wallMs)
    return delivery.lastSigned
  }

  /** The time that an attempt is signed with. With `as_first`, retries have that of the first attempt (DEL-08). */
  #timestampOf(delivery: Delivery, wallMs: number): number {
    delivery.firstSignedAt ??= wallMs
    return this.#deps.assumptions.retriesSigned === 'as_first' ? delivery.firstSignedAt : wallMs
  }

  #requestFor(delivery: Delivery, wallMs: number): DeliveryRequest {
    const fault = this.faultAt('signing', delivery)
    const isStale = fault?.do === 'stale'
    const signed = this.#signAt(delivery, isStale ? wallMs - byMs(fault, '301s') : this.#timestampOf(delivery, wallMs))
    if (fault === undefined) return signed
    const request = isStale ? signed : alterRequest(signed, this.#names, { tamper: 'body' })
    return { ...request, headers: { ...request.headers, [EMULATOR_FAULT]: fault.do } }
  }

  #record(delivery: Delivery, request: DeliveryRequest, startedAt: number, outcome: Outcome, why?: Repeated): Attempt {
    const { clock } = this.#deps
    const wall = { at: startedAt, tookMs: clock.wall() - startedAt }
    const attempt = { at: clock.now(), wall, request, outcome, ...(why && { why }) }
    delivery.attempts = [...delivery.attempts, attempt]
    return attempt
  }
}
