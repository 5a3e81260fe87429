import type { Log } from '../base/log.ts'
import { ANSWERS } from './http.ts'
import type { Receiver } from './receiver.ts'

/**
 * Stands where the receiver would, in a process that only works. The service repeats a delivery that was answered with
 * 503, so a wrong entry in a load balancer loses nothing at once.
 */
export function noReceiver(log: Log): Receiver {
  return {
    async receive() {
      log.error(
        {},
        "a delivery came to a process with the role 'work', which answers none: send deliveries to processes with the role 'receive' or 'both'",
      )
      return ANSWERS.unavailable
    },
    ready: () => true,
    beginStop() {},
  }
}
