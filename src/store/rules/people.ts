/** Why a customer waits for a person. `unread`: the bot had nothing to say to what it was given back. */
export type WaitingReason = 'handed_over' | 'asked' | 'wrote' | 'failed' | 'unread'

/**
 * The queue of people: a customer waits until a person answered, dismissed or snoozed them. A message that did not arrive
 * brings the wait back, with its time of before.
 */

/** `open`: people have the customer in their lists, and nobody waits. */
export type PersonState = 'waiting' | 'snoozed' | 'answered' | 'dismissed' | 'open'

export interface Wait {
  readonly state: PersonState
  readonly since: number | null
  readonly why: WaitingReason | null
  /** The inbox rows that began the wait, and that asked last; null if no message did. */
  readonly first: number | null
  readonly item: number | null
  readonly asked_at: number | null
  /** The newest inbox row that the last answer saw. */
  readonly upto: number | null
  readonly until: number | null
  readonly ended_by: string | null
  readonly assignee: string | null
}

export const NOBODY_WAITS: Wait = {
  state: 'open',
  since: null,
  why: null,
  first: null,
  item: null,
  asked_at: null,
  upto: null,
  until: null,
  ended_by: null,
  assignee: null,
}

export interface Ask {
  readonly why: WaitingReason
  /** Service time. */
  readonly at: number
  /** The inbox row of the message; undefined if a person handed over. `first`: of its burst. */
  readonly item?: number | undefined
  readonly first?: number | undefined
}

export function isWaiting({ state }: Pick<Wait, 'state'>): boolean {
  return state === 'waiting' || state === 'snoozed'
}

/** Undefined: as it was. The rerun of a handler asks for nothing new, and who waits keeps their place. */
export function afterAsk(known: Wait | undefined, { why, at, item, first = item }: Ask): Wait | undefined {
  const before = known ?? NOBODY_WAITS
  const byHandler = why === 'asked' || why === 'handed_over'
  if (byHandler && item !== undefined && item === before.item) return undefined
  const asked =
    item === undefined || (before.item ?? 0) > item
      ? { item: before.item, asked_at: before.asked_at }
      : { item, asked_at: at }
  if (isWaiting(before)) return { ...before, ...asked, state: 'waiting', until: null }
  return { ...before, ...asked, state: 'waiting', since: at, why, first: first ?? null, until: null, ended_by: null }
}

export interface Ending {
  readonly as: 'answered' | 'dismissed'
  readonly by: string | null
  /** The newest inbox row that they saw. */
  readonly upto: number
  /** Service time of the oldest message behind `upto` that rested for a person. */
  readonly nextAt: number | undefined
}

/** What arrived unseen still waits, from its own time. */
export function afterEnding(known: Wait, { as, by, upto, nextAt }: Ending): Wait {
  const seen = { ...known, upto: Math.max(known.upto ?? 0, upto) }
  if (!isWaiting(known)) return { ...seen, ended_by: as === 'answered' ? by : known.ended_by }
  if ((known.item ?? 0) <= seen.upto) return { ...seen, state: as, until: null, ended_by: by }
  return { ...seen, state: 'waiting', since: nextAt ?? known.asked_at, first: null, until: null }
}

/** What a person wrote did not arrive. */
export function afterFailure(known: Wait | undefined, at: number): Wait | undefined {
  if (known?.state === 'waiting') return undefined
  const before = known ?? NOBODY_WAITS
  return { ...before, state: 'waiting', since: before.since ?? at, why: 'failed', until: null, ended_by: null }
}

const GIVEN_BACK = 'given:'

/** What a person gave back to the bot to answer is one item: its cause is made of its messages, so it is one however often. */
export function causeOfGivenBack(digest: string): string {
  return `${GIVEN_BACK}${digest}`
}

export function isGivenBack({ cause }: { readonly cause: string }): boolean {
  return cause.startsWith(GIVEN_BACK)
}
