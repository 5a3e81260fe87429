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

/** An unread delivery of one of these subscriptions may have an older message of a customer of this number. */
export function isHeldBack({ unread }: { readonly unread: ReadonlySet<string> }, number: string): boolean {
  return unread.has(number) || [...unread].some((subscription) => numberNamesOf(subscription).includes(number))
}
