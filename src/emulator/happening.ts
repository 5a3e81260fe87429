import type { AttemptOutcome, DeliveryView } from './deliver/delivery.ts'
import type { SubscriptionView } from './deliver/subscriptions.ts'
import type { PublishedEvent } from './events/event.ts'
import type { VisibleChange } from './model/model.ts'

/** An entry of `GET /_emulator/timeline` and `GET /_emulator/stream`. */
export type Happening = Happened & { readonly id: string; readonly at: string }

export type Happened =
  | {
      readonly kind: 'api'
      readonly call: string
      readonly method: string
      readonly path: string
      readonly status: number
      readonly code: string | null
      readonly tookMs: number
      readonly customer: string | null
      readonly spoilt?: string
    }
  | {
      readonly kind: 'control'
      readonly method: string
      readonly path: string
      readonly status: number
      readonly code?: string | null
    }
  | VisibleChange
  | { readonly kind: 'event'; readonly event: PublishedEvent }
  | { readonly kind: 'delivery'; readonly delivery: DeliveryChange }
  | { readonly kind: 'subscription'; readonly subscription: SubscriptionView }
  /** Everything may have changed, or missed entries are no longer available. */
  | { readonly kind: 'resync' }

export type DeliveryChange = Pick<DeliveryView, 'id' | 'event' | 'customer' | 'message' | 'state'> & {
  readonly attempts: number
  readonly status?: string
  readonly last?: AttemptOutcome
}
