export interface Session {
  readonly value: string
  readonly version: number
}

export interface SessionWrite {
  /** The session as it was read at `readAt`; undefined if there was none. */
  readonly before: string | undefined
  readonly readAt: number
  /** The session before the change, if it differs from what was read: with the schema's defaults, or migrated. */
  readonly base?: string | undefined
  readonly value: string | undefined
  readonly version: number
  /** Undefined: never. */
  readonly expiresAt: number | undefined
}

/** A STOP or START in a customer's message. It takes effect in the commit that stores the message. */
export interface SaidOptOut {
  /** Service time of the message. */
  readonly at: number
  /** The app's word for the way. */
  readonly how: string
  readonly says: 'out' | 'in'
  readonly anyNumber: boolean
  /** True if the word may be an option of an open question. Then the attempt decides. */
  readonly unlessAsked: boolean
}

/** The limit of a customer's messages, in a span from the first of them. `at`: the receipt of this message. */
export interface MessageLimit {
  readonly messages: number
  readonly everyMs: number
  readonly at: number
}

/**
 * From this attempt on, an interrupted item is suspected of ending its process. A process may end once for any reason,
 * such as a deploy.
 */
export const SUSPICIOUS_ATTEMPTS = 2

/** Returns true if an item is a suspect. `attempts`: attempts before the one that begins now. */
export function isSuspect(item: { readonly wasRunning: boolean; readonly attempts: number }): boolean {
  return item.wasRunning && item.attempts >= SUSPICIOUS_ATTEMPTS
}

export function isLate(at: number, handledAt: number | undefined): boolean {
  return handledAt !== undefined && handledAt > at
}

/** A count of a customer's messages since a service time. */
export interface Counted {
  readonly since: number
  readonly count: number
}

export function countedWith(
  before: Counted | undefined,
  { everyMs, at }: Pick<MessageLimit, 'everyMs' | 'at'>,
): Counted {
  // If the clock went back, the count starts again.
  const goesOn = before !== undefined && at >= before.since && at < before.since + everyMs
  return goesOn ? { since: before.since, count: before.count + 1 } : { since: at, count: 1 }
}

/** A time that is always in the past. A clock that goes back must not delay work that is ready. */
export const AT_ONCE = 0

export function earliest(...times: readonly (number | null | undefined)[]): number | undefined {
  const known = times.filter((at) => at !== null && at !== undefined)
  return known.length === 0 ? undefined : Math.min(...known)
}

/**
 * Applies a change to a newer session. Returns undefined if both changed the same top-level key, a value is no object,
 * or the versions differ.
 */
export function mergedSession(write: SessionWrite, newer: Session | undefined): SessionWrite | undefined {
  const newest = { ...write, before: newer?.value }
  if (newer?.value === write.value || newer?.value === write.before) return newest
  if (newer === undefined || newer.version !== write.version) return undefined
  const [before, mine, theirs] = [write.base ?? write.before ?? '{}', write.value ?? 'null', newer.value].map(objectIn)
  if (!before || !mine || !theirs) return undefined
  const keys = new Set([...Object.keys(before), ...Object.keys(mine)])
  const changed = [...keys].filter((key) => jsonOf(mine, key) !== jsonOf(before, key))
  if (changed.some((key) => jsonOf(theirs, key) !== jsonOf(before, key))) return undefined
  const merged = { ...theirs }
  for (const key of changed)
    if (Object.hasOwn(mine, key)) merged[key] = mine[key]
    else delete merged[key]
  return { ...newest, value: JSON.stringify(merged) }
}

function objectIn(json: string): Record<string, unknown> | undefined {
  const value: unknown = JSON.parse(json)
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined
}

function jsonOf(object: Record<string, unknown>, key: string): string | undefined {
  return Object.hasOwn(object, key) ? JSON.stringify(object[key]) : undefined
}

/** Why a customer waits for a person. `unread`: the bot had no answer to the messages that were given back. */
export type WaitingReason = 'handed_over' | 'asked' | 'wrote' | 'failed' | 'unread'

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
