/**
 * From this attempt on, an interrupted item is suspected of ending its process. A process may end once for any reason,
 * such as a deploy.
 */
export const SUSPICIOUS_ATTEMPTS = 2

/** Returns true if an item is a suspect. `attempts`: attempts before the one that begins now. */
export function isSuspect(item: { readonly wasRunning: boolean; readonly attempts: number }): boolean {
  return item.wasRunning && item.attempts >= SUSPICIOUS_ATTEMPTS
}

/** A time that is always in the past. A clock that goes back must not delay work that is ready. */
export const AT_ONCE = 0

export function earliest(...times: readonly (number | null | undefined)[]): number | undefined {
  const known = times.filter((at) => at !== null && at !== undefined)
  return known.length === 0 ? undefined : Math.min(...known)
}

const GIVEN_BACK = 'given:'

/**
 * Returns the cause of the item that a person gave back to the bot. It is made of the item's messages, so a repeated
 * act makes the same item.
 */
export function causeOfGivenBack(digest: string): string {
  return `${GIVEN_BACK}${digest}`
}

export function isGivenBack({ cause }: { readonly cause: string }): boolean {
  return cause.startsWith(GIVEN_BACK)
}
