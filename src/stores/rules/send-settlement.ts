import type { Resolution, SendRow, SendSettlement, SendState } from '../port/index.ts'
import { AT_ONCE } from './lanes.ts'

/** The change that a settlement makes to a send's row; columns that are not named stay as they were. */
export type SendChange =
  | {
      readonly to: 'accepted'
      readonly messageId: string
      readonly upstreamId: string | undefined
      readonly possiblyTwice: boolean
      readonly settledAt: number
    }
  | {
      readonly to: 'ended'
      readonly state: Extract<SendState, 'refused' | 'unknown' | 'skipped'>
      readonly code: string | undefined
      readonly reason: string
      readonly settledAt: number
      /** A send that was attempted more than once is now possibly twice on the phone. */
      readonly marksRepeated: boolean
    }
  /** Another attempt at `nextAt`; only if the send was not cancelled since, before an attempt at it began. */
  | {
      readonly to: 'waiting'
      readonly state: Extract<SendState, 'ready' | 'attempting'>
      readonly code: string | undefined
      readonly reason: string | undefined
      readonly nextAt: number
      /** The attempt does not count; if it was the first, the time of the first attempt goes with it. */
      readonly takesBackAttempt: boolean
    }
  /** The template goes out next, under its own key: attempts and their times begin anew. */
  | { readonly to: 'fallback'; readonly nextAt: number }
  | { readonly to: 'unchanged' }

/** Decides what a settlement changes. */
export function sendChange(settlement: SendSettlement, now: number): SendChange {
  switch (settlement.as) {
    case 'accepted': {
      const { messageId, upstreamId, possiblyTwice } = settlement
      return { to: 'accepted', messageId, upstreamId, possiblyTwice, settledAt: now }
    }
    case 'refused':
    case 'unknown':
    case 'skipped':
      return {
        to: 'ended',
        state: settlement.as,
        code: settlement.code,
        reason: settlement.reason,
        settledAt: now,
        marksRepeated: settlement.as === 'unknown' && settlement.surelyOnce !== true,
      }
    // The number's throttle says why, and uses up no attempts.
    case 'held':
      return {
        to: 'waiting',
        state: 'ready',
        code: undefined,
        reason: undefined,
        nextAt: AT_ONCE,
        takesBackAttempt: true,
      }
    case 'ready':
    case 'attempting':
      return {
        to: 'waiting',
        state: settlement.as,
        code: settlement.code,
        reason: settlement.reason,
        nextAt: settlement.at,
        takesBackAttempt: false,
      }
    case 'fall_back':
      return { to: 'fallback', nextAt: AT_ONCE }
    case 'gone':
      return { to: 'unchanged' }
  }
}

/**
 * Lists what a person may decide about a send in its state. A one-time code is not on the disk, so it is never resent.
 */
export function resolutionsOf(
  send: Pick<SendRow, 'state' | 'code' | 'possiblyTwice' | 'withheld'>,
): readonly Resolution[] {
  return byState(send).filter((resolution) => resolution !== 'resend' || !send.withheld)
}

function byState({ state, code, possiblyTwice }: Pick<SendRow, 'state' | 'code' | 'possiblyTwice'>): Resolution[] {
  switch (state) {
    case 'unknown':
      return ['accepted', 'resend', 'drop']
    case 'held':
      if (code === 'restored') return ['accepted', 'resend', 'drop']
      // It goes out with its number.
      return possiblyTwice ? ['accepted', 'drop'] : ['drop']
    case 'refused':
    case 'skipped':
    case 'cancelled':
      return ['resend', 'drop']
    default:
      return []
  }
}

/** The end of a send that a person settles. */
export function resolvedAs(as: Exclude<Resolution, 'resend'>): { readonly state: SendState; readonly reason: string } {
  return as === 'accepted'
    ? { state: 'accepted', reason: 'somebody said that it arrived' }
    : { state: 'dropped', reason: 'somebody dropped it' }
}

/** `heldFrom`: the state that a restored database took the send out of. */
export interface ResendFacts extends Pick<SendRow, 'state' | 'via' | 'dueAt' | 'possiblyTwice'> {
  readonly heldFrom: SendState | undefined
}

/** A send that goes out again on a person's word, which overrules its deadline and a mute. */
export interface Resend {
  /** It was for later, and still is. */
  readonly isScheduled: boolean
  readonly possiblyTwice: boolean
  /** The fallback has another key, by which the service could not tell it from a free-form text that arrived. */
  readonly dropsFallback: boolean
}

/** Decides how a send is resent. */
export function resendOf({ state, via, dueAt, possiblyTwice, heldFrom }: ResendFacts): Resend {
  return {
    isScheduled: heldFrom === 'scheduled' || (state === 'cancelled' && dueAt !== undefined),
    possiblyTwice: possiblyTwice || state === 'unknown' || heldFrom !== undefined,
    dropsFallback: via === 'freeform' && (state === 'unknown' || heldFrom === 'attempting'),
  }
}
