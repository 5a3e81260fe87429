import type { SubscriptionView } from '../../emulator/control/subscriptions.ts'
import type { DeliveryView } from '../../emulator/deliver/delivery.ts'

/** Shown after the clock has moved if no delivery could be repeated to tell the app the new time. */
export const APP_NOT_TOLD =
  'No delivery could come once more to tell the app: it hears of this with its next one, or with the answer to its next send.'

/** Tells whether an active endpoint has accepted a delivery before: repeating that one tells the app the new time. */
export function canTellApp(deliveries: readonly DeliveryView[], subscriptions: readonly SubscriptionView[]): boolean {
  const active = subscriptions.filter(({ state }) => state === 'active').map(({ id }) => id)
  return deliveries.some(({ state, subscription }) => state === 'delivered' && active.includes(subscription))
}
