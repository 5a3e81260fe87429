/** No name of a number has it. */
const JOINED = '+'

/** A subscription is named after the numbers of its secret: one, or several joined. */
export function subscriptionOf(numbers: readonly string[]): string {
  return [...new Set(numbers)].sort().join(JOINED)
}

/** An item, a status or a delivery of a subscription belongs to one of these numbers. */
export function numberNamesOf(subscription: string): string[] {
  return subscription.split(JOINED)
}
