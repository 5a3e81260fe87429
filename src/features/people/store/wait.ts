import type { WaitingReason } from '../../../store/database/store-effects.ts'

/**
 * The queue of people. A customer waits until a person answers them, or dismisses or snoozes the wait. If the answer
 * does not arrive, the customer waits again, with the same `since`.
 */

/** The state of a customer in the queue. `open`: the customer is in people's lists and does not wait. */
export type PersonState = 'waiting' | 'snoozed' | 'answered' | 'dismissed' | 'open'

/** `at`: service time. `item`: the inbox row of the message; undefined if a person handed over. */
export interface Ask {
  readonly why: WaitingReason
  readonly at: number
  readonly item?: number | undefined
  /** The first row of the item's bundle. */
  readonly first?: number | undefined
}

export interface Wait {
  readonly state: PersonState
  readonly since: number | null
  readonly why: WaitingReason | null
  /** The inbox row that began the wait; null if no message did. `item`: the inbox row that last asked for a person. */
  readonly first: number | null
  readonly item: number | null
  readonly asked_at: number | null
  /** The newest inbox row that the person saw who answered last. */
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

export function isWaiting({ state }: Pick<Wait, 'state'>): boolean {
  return state === 'waiting' || state === 'snoozed'
}

/**
 * Returns the wait after somebody asked for a person; undefined if nothing changes. A rerun of a handler changes
 * nothing. A customer who waits already keeps `since`.
 */
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
  /** The newest inbox row that the person saw. */
  readonly upto: number
  /** Service time of the oldest unanswered message after `upto`. */
  readonly nextAt: number | undefined
}

/**
 * Returns the wait after an answer or dismissal. If the customer has written messages that the person did not see, the
 * customer still waits, since the first of them.
 */
export function afterEnding(known: Wait, { as, by, upto, nextAt }: Ending): Wait {
  const seen = { ...known, upto: Math.max(known.upto ?? 0, upto) }
  if (!isWaiting(known)) return { ...seen, ended_by: as === 'answered' ? by : known.ended_by }
  if ((known.item ?? 0) <= seen.upto) return { ...seen, state: as, until: null, ended_by: by }
  return { ...seen, state: 'waiting', since: nextAt ?? known.asked_at, first: null, until: null }
}

/** Returns the wait after a person's message did not arrive. */
export function afterFailure(known: Wait | undefined, at: number): Wait | undefined {
  if (known?.state === 'waiting') return undefined
  const before = known ?? NOBODY_WAITS
  return { ...before, state: 'waiting', since: before.since ?? at, why: 'failed', until: null, ended_by: null }
}
