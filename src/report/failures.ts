import type { Log } from '../base/log.ts'
import { FAILURES_UNTIL_DISABLED } from '../contract/index.ts'
import type { Refused } from '../receive/verify.ts'
import type { Observers } from './observers.ts'

/** Well before the service disables the endpoint (DEL-07). */
const WARN_AT = [5, 10, 15]
/** So many wrong signatures and not one right one: that is no forger, that is a wrong secret. */
const SUSPICIOUS = 5

/**
 * Counts what the service must take for failed deliveries in a row. Forgeries are not among them: whoever signs
 * wrongly is not the service, and must not be able to raise an alarm.
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
    observers.tell('alarm', { reason: `failures_in_a_row: ${inARow}` })
  }

  function refused(reason: Refused['reason']): void {
    if (reason === 'stale') {
      everRight = true
      failed()
    }
    if (reason !== 'mismatch' || everRight) return
    wrongSignatures++
    if (wrongSignatures !== SUSPICIOUS) return
    log.error(
      {},
      'no delivery has had a right signature since the start: the signing secret is probably wrong, or another subscription’s',
    )
    observers.tell('alarm', { reason: 'wrong_secret_suspected' })
  }

  return {
    failed,
    refused,
    answered(): void {
      everRight = true
      inARow = 0
    },
  }
}
