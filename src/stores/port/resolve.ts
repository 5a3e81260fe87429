import type { SendRow, SendState } from './send.ts'

/** What a person may say of a send that the outbox does not, or should not, bring to an end by itself. */
export type Resolution = 'accepted' | 'resend' | 'drop'

/** A send as it stands after a person's word, and the state that it was in. */
export interface Resolved {
  readonly done: boolean
  readonly was: SendState
  readonly send: SendRow
}

/** What may be said of a send in its state. A one-time code cannot go out again: it is not on the disk. */
export function resolutionsOf(send: SendRow): readonly Resolution[] {
  return byState(send).filter((resolution) => resolution !== 'resend' || !send.withheld)
}

function byState({ state, code, possiblyTwice }: SendRow): readonly Resolution[] {
  switch (state) {
    case 'unknown':
      return ['accepted', 'resend', 'drop']
    case 'held':
      if (code === 'restored') return ['accepted', 'resend', 'drop']
      // It goes out with its number's queue.
      return possiblyTwice ? ['accepted', 'drop'] : ['drop']
    case 'refused':
    case 'skipped':
    case 'cancelled':
      return ['resend', 'drop']
    default:
      return []
  }
}

/** Which sends are listed: all, but for what is given. */
export interface SendQuery {
  readonly state?: SendState
  readonly number?: string
  readonly customer?: string
  readonly limit: number
  /** Where the last page ended; absent for the first. */
  readonly after?: number
}

export interface SendPage {
  readonly sends: readonly SendRow[]
  /** Where to go on; undefined where there are no more. */
  readonly next: number | undefined
}

/** What `resumeSends` has let go. */
export interface Resumed {
  /** Numbers whose closed queue is tried at once. */
  readonly throttles: readonly string[]
  /** Sends held by a stopped queue: one is its probe, and they go out when it passes. */
  readonly held: number
  /** Sends held since the database was brought back from a backup: they go out now. */
  readonly restored: number
}
