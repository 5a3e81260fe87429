import { type DeliveryHeaders, deliveryHeaders } from '../../contract/index.ts'
import type { Timers } from '../../base/clock.ts'
import type { Assumptions } from '../model/assumptions.ts'
import { byMs, type DeliveryStage, stageOf } from '../model/fault-rules.ts'
import type { Faults } from '../model/faults.ts'
import type { DeliveryFaultRule } from '../model/fault-rules.ts'
import type { EmulatorClock } from '../model/clock.ts'
import type { Attempt, Delivery, DeliveryRequest, Outcome } from './delivery.ts'
import type { History } from './history.ts'
import { post, type Post } from './post.ts'
import { altered, type Redelivery } from './signed-request.ts'
import { requestOf } from './signed-request.ts'

/** Makes attempts: signs, posts and records them, with what faults do to one. */
export interface Attempts {
  /** One attempt; undefined where the emulator was closed meanwhile. */
  make(delivery: Delivery): Promise<Attempt | undefined>
  /** One by hand: no fault strikes it. */
  again(delivery: Delivery, how: Redelivery): Promise<Attempt>
  /** The rule that strikes a delivery at this point of it. */
  faultAt(stage: DeliveryStage, about: Pick<Delivery, 'event' | 'customer'>): DeliveryFaultRule | undefined
}

export interface AttemptsParts {
  readonly clock: EmulatorClock
  readonly timers: Timers
  readonly faults: Faults
  readonly assumptions: Assumptions
  readonly headerPrefix: string
  /** Posts a delivery; default: over HTTP. */
  readonly post?: Post | undefined
}

const WRONG_SECRET = 'whsec_nobody-has-this-one'

export function createAttempts(parts: AttemptsParts, history: History, closing: AbortSignal): Attempts {
  const { clock, faults, assumptions } = parts
  const names: DeliveryHeaders = deliveryHeaders(parts.headerPrefix)

  const faultAt: Attempts['faultAt'] = (stage, { event, customer }) => {
    const fits = (rule: DeliveryFaultRule) =>
      stageOf(rule.do) === stage && (rule.event === undefined || rule.event === event)
    return faults.take({ on: 'delivery', customer, fits })?.rule
  }

  const send = (request: DeliveryRequest): Promise<Outcome> =>
    (parts.post ?? post)(request, { timers: parts.timers, timeoutMs: assumptions.attemptTimeoutMs, signal: closing })

  const signed = (delivery: Delivery, wallMs: number, secret?: string): DeliveryRequest => {
    delivery.lastSigned = requestOf(delivery, names, clock, wallMs, secret)
    return delivery.lastSigned
  }

  /** A fresh timestamp at each attempt, or the first one's (DEL-08). */
  const timestampOf = (delivery: Delivery): number => {
    delivery.firstSignedAt ??= clock.wall()
    return assumptions.retriesSigned === 'as_first' ? delivery.firstSignedAt : clock.wall()
  }

  const requestFor = (delivery: Delivery): DeliveryRequest => {
    const fault = faultAt('signing', delivery)
    if (fault?.do === 'stale') return signed(delivery, clock.wall() - byMs(fault, '301s'))
    if (fault?.do === 'wrong_secret') return signed(delivery, timestampOf(delivery), WRONG_SECRET)
    const request = signed(delivery, timestampOf(delivery))
    return fault === undefined ? request : altered(request, names, { tamper: fault.what ?? 'body' })
  }

  const record = (delivery: Delivery, request: DeliveryRequest, startedAt: number, outcome: Outcome): Attempt => {
    const wall = { at: startedAt, tookMs: clock.wall() - startedAt }
    const attempt = { at: clock.now(), wall, request, outcome }
    history.record(delivery, attempt)
    return attempt
  }

  return {
    faultAt,
    async make(delivery) {
      const request = requestFor(delivery)
      const startedAt = clock.wall()
      const answered = await send(request)
      if (closing.aborted) return undefined
      const lost = 'status' in answered && faultAt('answer', delivery) !== undefined
      return record(delivery, request, startedAt, lost ? { error: 'answer_lost' } : answered)
    },
    async again(delivery, how) {
      const last = how.exact ? delivery.lastSigned : undefined
      const request = altered(last ?? signed(delivery, clock.wall() + (how.timestampOffsetMs ?? 0)), names, how)
      const startedAt = clock.wall()
      const made = record(delivery, request, startedAt, await send(request))
      history.changed(delivery)
      return made
    },
  }
}
