import type { Timers } from '../../base/clock.ts'
import { type DeliveryHeaders, deliveryHeaders, EMULATOR_FAULT } from '../../service/contract.ts'
import type { Assumptions } from '../model/assumptions.ts'
import type { EmulatorClock } from '../model/emulated-clock.ts'
import { type DeliveryFaultRule, type DeliveryStage, type Faults, DELIVERY_FAULTS, byMs } from '../model/faults.ts'
import type { Attempt, Delivery, DeliveryRequest, History, Outcome } from './delivery.ts'
import { type Post, type Redelivery, alterRequest, post, signedRequest } from './request.ts'

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

/** Makes single attempts: signs, posts and records them, and applies faults. */
export function createAttempts(deps: AttemptsDeps, history: History, closing: AbortSignal) {
  const { clock, faults, assumptions } = deps
  const names: DeliveryHeaders = deliveryHeaders(deps.headerPrefix)

  const faultAt = (
    stage: DeliveryStage,
    { event, customer }: Pick<Delivery, 'event' | 'customer'>,
  ): DeliveryFaultRule | undefined => {
    const fits = (rule: DeliveryFaultRule) =>
      DELIVERY_FAULTS[rule.do][0] === stage && (rule.event === undefined || rule.event === event)
    return faults.take({ on: 'delivery', customer, fits })?.rule
  }

  const send = (request: DeliveryRequest): Promise<Outcome> =>
    (deps.post ?? post)(request, { timers: deps.timers, timeoutMs: assumptions.attemptTimeoutMs, signal: closing })

  const signAt = (delivery: Delivery, wallMs: number, secret?: string): DeliveryRequest => {
    delivery.lastSigned = signedRequest(delivery, names, clock, wallMs, secret)
    return delivery.lastSigned
  }

  /** Each attempt gets a fresh timestamp. A switch keeps the first attempt's (DEL-08). */
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
    /** Makes one attempt. Resolves with undefined if the emulator was closed meanwhile. */
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
      const attempt = record(delivery, request, startedAt, await send(request))
      history.changed(delivery)
      return attempt
    },
  }
}
