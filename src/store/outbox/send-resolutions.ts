import type { SendRow, SendState } from '../database/outbox-tables.ts'

export type Resolution = 'accepted' | 'resend' | 'drop'

/**
 * Returns the decisions that a person may take about a send. A body that is not on disk is never sent again.
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
      // The send goes out when its number is resumed.
      return possiblyTwice ? ['accepted', 'drop'] : ['drop']
    case 'refused':
    case 'skipped':
    case 'cancelled':
      return ['resend', 'drop']
    default:
      return []
  }
}

export function resolvedAs(as: Exclude<Resolution, 'resend'>): { readonly state: SendState; readonly reason: string } {
  return as === 'accepted'
    ? { state: 'accepted', reason: 'somebody said that it arrived' }
    : { state: 'dropped', reason: 'somebody dropped it' }
}

export interface ResendConditions extends Pick<SendRow, 'state' | 'via' | 'dueAt' | 'possiblyTwice'> {
  readonly heldFrom: SendState | undefined
}

/** A send that a person sends again. The decision overrules the deadline and a silence. */
export interface Resend {
  readonly isScheduled: boolean
  readonly possiblyTwice: boolean
  /**
   * True if the fallback is dropped. It has another key, so the service could not recognise that the free text arrived.
   */
  readonly dropsFallback: boolean
}

export function resendOf({ state, via, dueAt, possiblyTwice, heldFrom }: ResendConditions): Resend {
  return {
    isScheduled: heldFrom === 'scheduled' || (state === 'cancelled' && dueAt !== undefined),
    possiblyTwice: possiblyTwice || state === 'unknown' || heldFrom !== undefined,
    dropsFallback: via === 'freeform' && (state === 'unknown' || heldFrom === 'attempting'),
  }
}

/**
 * A value of `awaitedUntil` that is not a time. The caller is a handler, whose rerun requests the send again, or the
 * caller knows the outcome already.
 */
export const A_RERUN_ASKS = Number.MAX_SAFE_INTEGER

const CAUSE = 'send_failed:'

export function causeOfTelling(seq: number): string {
  return `${CAUSE}${seq}`
}

type Failed = Pick<SendRow, 'state' | 'code' | 'cause' | 'awaitedUntil'>

/**
 * Returns true if `onSendFailed` runs for a send. It does not run for a send that the app or a person cancelled, or
 * that its own handlers sent, which could continue for ever. `isAwaited`: a caller in this process already receives the
 * refusal or skip.
 */
export function isToldOf({ state, code, cause, awaitedUntil }: Failed, isAwaited: boolean): boolean {
  if (cause.startsWith(CAUSE)) return false
  if (state === 'unknown' || state === 'lost_code') return true
  const failed = state === 'refused' || (state === 'skipped' && code === 'stale')
  return failed && !isAwaited && awaitedUntil !== A_RERUN_ASKS
}

interface Told {
  readonly told: Pick<SendRow, 'state' | 'settledAt'>
  readonly now: Pick<SendRow, 'state' | 'settledAt' | 'awaitedUntil'> | undefined
}

/**
 * Decides when a failure is reported. `at`: a caller in another process may wait until then. `over`: the failure was
 * reported, or the send has ended differently since.
 */
export function tellingOf({ told, now }: Told, wall: number): 'due' | 'over' | { readonly at: number } {
  if (now?.state !== told.state || now.settledAt !== told.settledAt) return 'over'
  if (told.state === 'unknown' || told.state === 'lost_code') return 'due'
  const { awaitedUntil = 0 } = now
  if (awaitedUntil === A_RERUN_ASKS) return 'over'
  return awaitedUntil > wall ? { at: awaitedUntil } : 'due'
}
