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

/** The longest time for which `shuffle` delays a delivery if no later delivery overtakes it. */
const SHUFFLED_WITHIN_MS = 2_000

export class Deliverer {
  readonly headerNames: DeliveryHeaders
  readonly #deps: DelivererDeps
  readonly #closing = new AbortController()
  readonly #history: History
  readonly #attempts: Attempts
  readonly #shuffled: Delivery[] = []
  readonly #queues = new WeakMap<Subscription, PQueue>()

  constructor(deps: DelivererDeps) {
    this.#deps = deps
    this.headerNames = deliveryHeaders(deps.headerPrefix)
    this.#history = createHistory(deps.clock.now)
    this.#attempts = new Attempts(deps, this.#history, this.#closing.signal)
    setMaxListeners(0, this.#closing.signal)
  }

  deliver(event: ServiceEvent): string[] {
    const { subscriptions } = this.#deps
    const made = subscriptions
      .list()
      .filter(({ state }) => state === 'active')
      .map((subscription) => this.#newDelivery(event, subscription))
    for (const delivery of made) this.#startInTime(delivery)
    return made.map(({ id }) => id)
  }

  /** Makes the next attempt of each delivery that waits for a retry now. Returns how many. */
  retry(): number {
    const { schedule } = this.#deps
    return schedule.hasten()
  }

  /** Makes one more attempt manually. It is recorded, and counts neither as a success nor as a failure. */
  redeliver(delivery: Delivery, how: Redelivery): Promise<Attempt> {
    return this.#attempts.makeManually(delivery, how)
  }

  byId(id: string): ReturnType<History['byId']> {
    return this.#history.byId(id)
  }

  list(...query: Parameters<History['list']>): ReturnType<History['list']> {
    return this.#history.list(...query)
  }

  watch(...given: Parameters<History['watch']>): ReturnType<History['watch']> {
    return this.#history.watch(...given)
  }

  whenClosed(listener: () => void): () => void {
    this.#closing.signal.addEventListener('abort', listener)
    return () => this.#closing.signal.removeEventListener('abort', listener)
  }

  close(): void {
    this.#closing.abort()
    this.#history.unwatchAll()
  }

  /** Runs an attempt when the subscription has a free slot. A switch may change the number of slots at any time. */
  #inTurn(subscription: Subscription, run: () => Promise<void>): Promise<void> {
    const { assumptions } = this.#deps
    const queue = this.#queues.get(subscription) ?? new PQueue()
    this.#queues.set(subscription, queue)
    queue.concurrency = assumptions.attemptsAtOnce
    return queue.add(run)
  }

  async #attempt(delivery: Delivery, retries: number, startedAt: number): Promise<void> {
    const { assumptions, subscriptions } = this.#deps
    if (this.#closing.signal.aborted) return
    if (!this.#isReachable(delivery.subscription)) return this.#end(delivery, 'failed')
    // A duplicate from a fault goes out at the same time. Its outcome is only recorded.
    if (retries === 0 && this.#attempts.faultAt('twice', delivery))
      void this.#attempts.make(delivery).then(() => this.#history.changed(delivery))
    const made = await this.#attempts.make(delivery)
    if (made === undefined) return
    if (isAccepted(made.outcome, assumptions)) {
      subscriptions.succeeded(delivery.subscription)
      return this.#end(delivery, 'delivered')
    }
    this.#retryLater(delivery, retries, startedAt)
  }

  #retryLater(delivery: Delivery, retries: number, startedAt: number): void {
    const { assumptions, schedule, subscriptions } = this.#deps
    const wait = assumptions.retryAfterMs[retries] ?? assumptions.retryAfterMs.at(-1)
    const isOver = wait === undefined || schedule.elapsed() - startedAt + wait > assumptions.retryForMs
    if (isOver) subscriptions.failed(delivery.subscription)
    if (isOver || !this.#isReachable(delivery.subscription)) return this.#end(delivery, 'failed')
    schedule.later(wait, () => void this.#start(delivery, retries + 1, startedAt), true)
    this.#history.changed(delivery)
  }

  #isReachable(subscription: Subscription): boolean {
    const { subscriptions } = this.#deps
    return subscription.state === 'active' && subscriptions.byId(subscription.id) === subscription
  }

  #end(delivery: Delivery, state: 'delivered' | 'failed'): void {
    delivery.state = state
    this.#history.changed(delivery)
  }

  #start(delivery: Delivery, retries = 0, startedAt = this.#deps.schedule.elapsed()): Promise<void> {
    return this.#inTurn(delivery.subscription, () => this.#attempt(delivery, retries, startedAt))
  }

  #newDelivery(source: ServiceEvent, subscription: Subscription): Delivery {
    const { clock } = this.#deps
    const { id: eventId, name: event, customer, message, body } = source
    const at = clock.now()
    const delivery: Delivery = {
      id: this.#deps.ids.delivery(at),
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
    this.#history.add(delivery)
    this.#history.changed(delivery)
    return delivery
  }

  #startInTime(delivery: Delivery): void {
    const { schedule } = this.#deps
    const fault = this.#attempts.faultAt('timing', delivery)
    if (fault?.do === 'shuffle') return this.#shuffle(delivery)
    if (fault === undefined) return void this.#start(delivery).then(() => this.#release())
    const startedAt = schedule.elapsed()
    schedule.later(byMs(fault, '10m'), () => void this.#start(delivery, 0, startedAt))
  }

  #shuffle(delivery: Delivery): void {
    const { schedule } = this.#deps
    this.#shuffled.push(delivery)
    if (this.#shuffled.length === 1) schedule.later(SHUFFLED_WITHIN_MS, () => void this.#release())
  }

  async #release(): Promise<void> {
    for (const delivery of this.#shuffled.splice(0).toReversed()) await this.#start(delivery)
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

class Attempts {
  readonly #deps: AttemptsDeps
  readonly #history: History
  readonly #closing: AbortSignal
  readonly #names: DeliveryHeaders

  constructor(deps: AttemptsDeps, history: History, closing: AbortSignal) {
    this.#deps = deps
    this.#history = history
    this.#closing = closing
    this.#names = deliveryHeaders(this.#deps.headerPrefix)
  }

  faultAt(
    stage: DeliveryStage,
    { event, customer }: Pick<Delivery, 'event' | 'customer'>,
  ): DeliveryFaultRule | undefined {
    const { faults } = this.#deps
    const fits = (rule: DeliveryFaultRule) =>
      DELIVERY_FAULTS[rule.do][0] === stage && (rule.event === undefined || rule.event === event)
    return faults.take({ on: 'delivery', customer, fits })
  }

  async make(delivery: Delivery): Promise<Attempt | undefined> {
    const { clock } = this.#deps
    // Read the clock once: a second that begins between two readings would show a skew that the receiver never saw.
    const startedAt = clock.wall()
    const request = this.#requestFor(delivery, startedAt)
    const outcome = await this.#send(request)
    if (this.#closing.aborted) return undefined
    const isLost = 'status' in outcome && this.faultAt('answer', delivery) !== undefined
    return this.#record(delivery, request, startedAt, isLost ? { error: 'answer_lost' } : outcome)
  }

  /** Makes one manual attempt. Faults do not apply. */
  async makeManually(delivery: Delivery, how: Redelivery): Promise<Attempt> {
    const { clock } = this.#deps
    const last = how.exact ? delivery.lastSigned : undefined
    const startedAt = clock.wall()
    const request = alterRequest(
      last ?? this.#signAt(delivery, startedAt + (how.timestampOffsetMs ?? 0)),
      this.#names,
      how,
    )
    const attempt = this.#record(delivery, request, startedAt, await this.#send(request), how.why)
    this.#history.changed(delivery)
    return attempt
  }

  #send(request: DeliveryRequest): Promise<Outcome> {
    const { assumptions } = this.#deps
    return (this.#deps.post ?? post)(request, {
      timers: this.#deps.timers,
      timeoutMs: assumptions.attemptTimeoutMs,
      signal: this.#closing,
    })
  }

  #signAt(delivery: Delivery, wallMs: number): DeliveryRequest {
    const { clock } = this.#deps
    delivery.lastSigned = signedRequest(delivery, this.#names, clock, wallMs)
    return delivery.lastSigned
  }

  /** Returns an attempt's timestamp. Each attempt gets a fresh one, or the first attempt's with a switch (DEL-08). */
  #timestampOf(delivery: Delivery, wallMs: number): number {
    const { assumptions } = this.#deps
    delivery.firstSignedAt ??= wallMs
    return assumptions.retriesSigned === 'as_first' ? delivery.firstSignedAt : wallMs
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
    this.#history.record(delivery, attempt)
    return attempt
  }
}
