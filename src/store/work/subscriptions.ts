/** A separator that no name of a number contains. */
const JOINED = '+'

/** Returns the name of a subscription: the names of the numbers that share its secret, joined. */
export function subscriptionOf(numbers: readonly string[]): string {
  return [...new Set(numbers)].sort().join(JOINED)
}

/** Returns the numbers of a subscription. An item, status or delivery of the subscription belongs to one of them. */
export function numberNamesOf(subscription: string): string[] {
  return subscription.split(JOINED)
}

/** Returns true if an unread delivery may contain an older message of a customer of this number. */
export function hasUnread({ unread }: { readonly unread: ReadonlySet<string> }, number: string): boolean {
  return unread.has(number) || [...unread].some((subscription) => numberNamesOf(subscription).includes(number))
}
