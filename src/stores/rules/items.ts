import type { Failure, ItemState, Settlement } from '../port/index.ts'

/**
 * An item is no suspect before so many attempts: a process may end once for any reason, such as a deploy without an
 * orderly stop.
 */
export const SUSPICIOUS_ATTEMPTS = 2

/**
 * Tells whether an item may be what ends processes: a process that is gone left it running, at its second attempt or a
 * later one.
 *
 * @param attempts those counted before the one that begins now.
 */
export function isSuspect(item: { readonly wasRunning: boolean; readonly attempts: number }): boolean {
  return item.wasRunning && item.attempts >= SUSPICIOUS_ATTEMPTS
}

/** A message of the same customer with a later payload time was handled before. */
export function isLate(at: number, handledAt: number | undefined): boolean {
  return handledAt !== undefined && handledAt > at
}

/** The change that a settlement makes to an item's row, and for how long the item blocks its lane. */
export type ItemChange = ItemAtRest | ItemWaiting

export interface ItemAtRest {
  readonly waits: false
  readonly state: Extract<ItemState, 'done' | 'ignored' | 'parked' | 'dead'>
  readonly reason: string | undefined
  readonly settledAt: number
  /** Undefined: as it was. */
  readonly completedHandlers: readonly string[] | undefined
  /** Undefined: as it was, or none if there is no reason either. */
  readonly failure?: Failure | undefined
}

export interface ItemWaiting {
  readonly waits: true
  readonly state: Extract<ItemState, 'retry' | 'stored'>
  /** Undefined: as it was. */
  readonly reason: string | undefined
  /** Wall time of the next attempt. */
  readonly readyAt: number
  readonly completedHandlers: readonly string[]
  /** Undefined: as it was. */
  readonly failure?: Failure | undefined
  /** Attempts that do not count after all. */
  readonly attemptsTakenBack: 0 | 1
  /** Wall time until which nothing in the lane begins; 0 if the rest of the lane goes on. */
  readonly blocksLaneUntil: number
}

/** Decides what a settlement changes. */
export function itemChange(settlement: Settlement, now: number): ItemChange {
  switch (settlement.as) {
    case 'done':
    case 'ignored':
      return atRest(settlement.as, now)
    case 'parked':
    case 'dead':
      return atRest(settlement.as, now, settlement)
    case 'retry':
      return {
        waits: true,
        state: 'retry',
        reason: settlement.reason,
        readyAt: settlement.at,
        completedHandlers: settlement.completedHandlers,
        failure: settlement.failure,
        attemptsTakenBack: 0,
        blocksLaneUntil: settlement.blocksLane ? settlement.at : 0,
      }
    case 'released':
      return {
        waits: true,
        state: 'stored',
        reason: undefined,
        readyAt: settlement.at ?? 0,
        completedHandlers: settlement.completedHandlers,
        failure: undefined,
        attemptsTakenBack: 1,
        blocksLaneUntil: settlement.blocksLane ? (settlement.at ?? 0) : 0,
      }
  }
}

function atRest(
  state: ItemAtRest['state'],
  settledAt: number,
  failed: { reason?: string; completedHandlers?: readonly string[]; failure?: Failure | undefined } = {},
): ItemAtRest {
  const { reason, completedHandlers, failure } = failed
  return { waits: false, state, reason, settledAt, completedHandlers, failure }
}
