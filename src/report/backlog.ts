import type { Log } from '../base/log.ts'
import type { Observers } from './observers.ts'

/** Reports that messages wait too long for their handlers. */
export function reportBacklog(log: Log, observers: Observers): (waitedMs: number) => void {
  return (waitedMs) => {
    const seconds = Math.floor(waitedMs / 1_000)
    log.error(
      { seconds },
      'messages wait too long: more comes than the handlers get done, or handlers hang; deliveries are still stored',
    )
    observers.notify('alarm', { reason: `waiting_long: ${seconds} s` })
  }
}
