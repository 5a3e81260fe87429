import type { SendRow, SendState } from '../database/outbox-tables.ts'

export type Resolution = 'accepted' | 'resend' | 'drop'

/** Returns the decisions that a person may take. A body that is not on disk is never sent again. */
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
      // There is no `resend`, because the send goes out when its number is resumed.
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
  /** True if the fallback is dropped: the text may have arrived, and under another key the service sends again. */
  readonly dropsFallback: boolean
}

export function resendOf({ state, via, dueAt, possiblyTwice, heldFrom }: ResendConditions): Resend {
  return {
    isScheduled: heldFrom === 'scheduled' || (state === 'cancelled' && dueAt !== undefined),
    possiblyTwice: possiblyTwice || state === 'unknown' || heldFrom !== undefined,
    dropsFallback: via === 'freeform' && (state === 'unknown' || heldFrom === 'attempting'),
  }
}
