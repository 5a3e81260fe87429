import type { Log } from '../base/log.ts'
import type { Observers } from './observers.ts'

/** A source of numbers fails. What is known goes on, so nothing else shows it before it is too old to be used. */
export function reportNumbers(log: Log, observers: Observers) {
  return (number: string, why: string, failures: number): void => {
    const more = failures > 1 && { more: failures - 1 }
    log.warn(
      { number, reason: why, ...more },
      'a number could not be asked for: numbers that are known go on as they are for keptFor, deliveries of others are answered 503',
    )
    observers.notify('alarm', { reason: 'numbers_unavailable', number })
  }
}
