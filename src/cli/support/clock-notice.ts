import type { SubscriptionView } from '../../emulator/control/subscriptions.ts'
import type { DeliveryView } from '../../emulator/deliver/delivery.ts'

/** Said to people where the clock was moved, and no delivery was there that could come once more to tell the app. */
export const APP_NOT_TOLD =
  'No delivery could come once more to tell the app: it hears of this with its next one, or with the answer to its next send.'

/** Whether an endpoint that is active still has a delivery that the app took: by that one it hears of another time. */
export function canTellApp(deliveries: readonly DeliveryView[], subscriptions: readonly SubscriptionView[]): boolean {
  const active = subscriptions.filter(({ state }) => state === 'active').map(({ id }) => id)
  return deliveries.some(({ state, subscription }) => state === 'delivered' && active.includes(subscription))
}
