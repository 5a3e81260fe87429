import type { Log } from '../base/log.ts'
import { FAILURES_UNTIL_DISABLED } from '../contract/index.ts'
import type { Refused } from '../receive/signature.ts'
import type { Observers } from './observers.ts'

export type FailuresInARow = ReturnType<typeof countFailures>

/** Counts of failures at which the log warns, well before the service disables the endpoint (DEL-07). */
const WARN_AT = [5, 10, 15]
/** This many wrong signatures and not one right one suggest a wrong secret rather than a forger. */
const WRONG_SECRET_SUSPECTED_AT = 5

/**
 * Counts the deliveries that the service must take for failed, in a row. Forgeries do not count: whoever signs wrongly is
 * not the service, and must not be able to raise an alarm.
 */
export function countFailures(log: Log, observers: Observers) {
  let inARow = 0
  let wrongSignatures = 0
  let everRight = false

  function failed(): void {
    inARow++
    if (!WARN_AT.includes(inARow)) return
    log.error(
      { failures: inARow },
      `${inARow} deliveries in a row were not acknowledged; at ${FAILURES_UNTIL_DISABLED} the service disables the endpoint, and what it then does not deliver is gone`,
    )
    observers.notify('alarm', { reason: `failures_in_a_row: ${inARow}` })
  }

  function refused(reason: Refused['reason'] | 'unknown_number', fault: string | undefined): void {
    if (reason === 'stale') {
      everRight = true
      failed()
    }
    // An armed fault says nothing about the secret.
    if (reason !== 'mismatch' || everRight || fault !== undefined) return
    wrongSignatures++
    if (wrongSignatures !== WRONG_SECRET_SUSPECTED_AT) return
    log.error(
      {},
      'no delivery has had a right signature since the start: the signing secret is probably wrong, or another subscription’s',
    )
    observers.notify('alarm', { reason: 'wrong_secret_suspected' })
  }

  return {
    failed,
    refused,
    inARow: () => inARow,
    answered(): void {
      everRight = true
      inARow = 0
    },
  }
}
