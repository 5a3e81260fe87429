import type { SendRow } from '../port/index.ts'

/**
 * In place of a time, for a send that a handler waits for: after a crash its rerun asks again, and finds the row. Also for
 * one whose caller has heard of its end.
 */
export const A_RERUN_ASKS = Number.MAX_SAFE_INTEGER

/** The cause of what an `onSendFailed` handler sends itself, by the item that tells. */
const CAUSE = 'send_failed:'

export function causeOfTelling(seq: number): string {
  return `${CAUSE}${seq}`
}

/** The members of a send that decide whether it is told of. */
export type Failed = Pick<SendRow, 'state' | 'code' | 'cause' | 'awaitedUntil'>

/**
 * Decides whether a send that has ended is told of. What the app or a person took back is not, and neither is what the
 * handlers of such tellings sent, which would never end.
 *
 * @param isAwaited a caller in this process waits for the send, and hears of a refusal or a skip by the answer. Nobody
 * hears of any other end.
 */
export function isToldOf({ state, code, cause, awaitedUntil }: Failed, isAwaited: boolean): boolean {
  if (cause.startsWith(CAUSE)) return false
  if (state === 'unknown' || state === 'lost_code') return true
  const failed = state === 'refused' || (state === 'skipped' && code === 'stale')
  return failed && !isAwaited && awaitedUntil !== A_RERUN_ASKS
}

/** A send as it was told of, and as it is now. */
interface Told {
  readonly told: Pick<SendRow, 'state' | 'settledAt'>
  readonly now: Pick<SendRow, 'state' | 'settledAt' | 'awaitedUntil'> | undefined
}

/**
 * Decides what becomes of a telling whose turn has come: `at`, if a caller in another process may wait until that wall
 * time. `over`: a caller has heard of the end, or the send was opened again or settled by a person since.
 */
export function tellingOf({ told, now }: Told, wall: number): 'due' | 'over' | { readonly at: number } {
  if (now?.state !== told.state || now.settledAt !== told.settledAt) return 'over'
  if (told.state === 'unknown' || told.state === 'lost_code') return 'due'
  const { awaitedUntil = 0 } = now
  if (awaitedUntil === A_RERUN_ASKS) return 'over'
  return awaitedUntil > wall ? { at: awaitedUntil } : 'due'
}
