import type { CustomerView, DeliveryView, SendView, State } from './api.ts'
import { checkScope, ownDeliveries, ownPart, type Scope } from './scope.ts'

type Shown = CustomerView | DeliveryView | SendView

/** @throws Refused `not_found` */
export function scopedView(view: Shown, scope: Scope): Shown {
  checkScope('items' in view ? view.items.map(({ number }) => number) : [view.number], scope)
  if (scope === undefined) return view
  if ('deliveries' in view) return { ...view, deliveries: ownDeliveries(view.deliveries, scope) }
  if (!('subscription' in view)) return view
  const sent = view.sent.filter(({ number }) => scope.includes(number))
  return { ...view, subscription: ownPart(view.subscription, scope), sent }
}

export function scopedHealth(health: State['health'], scope: Scope): State['health'] {
  if (scope === undefined) return health
  const isSeen = ({ number }: { readonly number: string }) => scope.includes(number)
  return { ...health, throttled: health.throttled.filter(isSeen) }
}
