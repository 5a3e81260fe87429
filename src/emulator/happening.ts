import type { ClockView } from './control/clock.ts'
import type { CustomerView } from './control/customers.ts'
import type { SubscriptionView } from './control/subscriptions.ts'
import type { AttemptOutcome, DeliveryView } from './deliver/delivery.ts'
import type { Handset } from './model/phones.ts'
import type { ThreadItem } from './model/thread.ts'

/** An entry of the stream and of the timeline, as whoever reads them finds it. */
export type Happening =
  | (Base & {
      readonly kind: 'api'
      readonly call: string
      readonly method: string
      readonly path: string
      readonly status: number
      readonly code: string | null
      readonly tookMs: number
      readonly customer: string | null
      readonly spoilt?: string
    })
  | (Base & {
      readonly kind: 'control'
      readonly method: string
      readonly path: string
      readonly status: number
      readonly code?: string | null
      /** The change itself, unless it is secret. */
      readonly change?: Readonly<Record<string, unknown>>
    })
  | (Base & { readonly kind: 'thread'; readonly customer: string; readonly item: ThreadItem })
  | (Base & { readonly kind: 'handset'; readonly customer: string; readonly handset: Handset })
  | (Base & {
      readonly kind: 'window'
      readonly window: { readonly customer: string } & CustomerView['windows'][number]
    })
  /** `movedMs` is negative if the clock went back. */
  | (Base & { readonly kind: 'clock'; readonly clock: ClockView; readonly movedMs: number })
  | (Base & {
      readonly kind: 'event'
      readonly event: {
        readonly id: string
        readonly event: string
        readonly customer: string | null
        readonly deliveryIds: readonly string[]
      }
    })
  | (Base & { readonly kind: 'delivery'; readonly delivery: DeliveryChange })
  | (Base & { readonly kind: 'subscription'; readonly subscription: SubscriptionView })
  | (Base & {
      readonly kind: 'agent'
      readonly agent: {
        readonly number: string
        readonly customer: string
        readonly state: 'paused' | 'active'
        readonly pausedUntil: string | null
        /** True if the number has an AI agent at all. */
        readonly on: boolean
      }
    })
  | (Base & { readonly kind: 'resync' })

interface Base {
  readonly id: string
  readonly at: string
}

/** The summary of a delivery that the stream sends. */
export type DeliveryChange = Pick<DeliveryView, 'id' | 'event' | 'customer' | 'message' | 'state'> & {
  readonly attempts: number
  /** The status that a `message.status` tells of. */
  readonly status?: string
  readonly last?: AttemptOutcome
}
