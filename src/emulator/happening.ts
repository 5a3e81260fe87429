import type { EventView, SubscriptionView } from './control/deliveries-control.ts'
import type { AttemptOutcome, DeliveryView } from './deliver/delivery.ts'
import type { VisibleChange } from './model/model.ts'

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
    })
  | (Base & VisibleChange)
  | (Base & { readonly kind: 'event'; readonly event: Pick<EventView, 'id' | 'event' | 'customer' | 'deliveryIds'> })
  | (Base & { readonly kind: 'delivery'; readonly delivery: DeliveryChange })
  | (Base & { readonly kind: 'subscription'; readonly subscription: SubscriptionView })
  | (Base & { readonly kind: 'resync' })

interface Base {
  readonly id: string
  readonly at: string
}

export type DeliveryChange = Pick<DeliveryView, 'id' | 'event' | 'customer' | 'message' | 'state'> & {
  readonly attempts: number
  readonly status?: string
  readonly last?: AttemptOutcome
}
