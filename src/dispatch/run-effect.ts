import type { SendIntent, SendResult } from '../outbox/index.ts'
import { trackedInBoundary } from './middleware.ts'
import type { AttemptDeps, RunningAttempt } from './types.ts'

/**
 * Runs an effect of an attempt: refused once the attempt is over, and waiting for it does not count towards the
 * deadline.
 */
export function runEffect<T>(running: RunningAttempt, deps: AttemptDeps, run: () => Promise<T>): Promise<T> {
  return trackEffect(running, deps, () => running.clock.paused(run))
}

/**
 * An effect that nobody awaits fails unseen. If that comes too late to fail the attempt as well, only the log can tell.
 */
export function trackEffect<T>(running: RunningAttempt, deps: AttemptDeps, work: () => Promise<T>): Promise<T> {
  if (running.clock.isFinished())
    deps.log.warn(
      { delivery: running.item.delivery.deliveryId, attempt: running.item.attempt },
      'a handler began something after it had returned, such as a reply in a callback: it had no effect, and nobody runs it again; await what a handler begins before it returns',
    )
  return running.effects.begin(() => trackedInBoundary(running, work))
}

/**
 * Records a message of a handler, under the fence of its attempt: the message has the item's number, and the item's
 * cause if it has no other.
 */
export function recordFromHandler(
  { item, fence }: RunningAttempt,
  deps: AttemptDeps,
  message: Omit<SendIntent, 'number' | 'cause' | 'delivery' | 'fence'> & { readonly cause?: string },
): Promise<SendResult> {
  return deps.recordSend({
    cause: item.cause,
    ...message,
    number: item.number,
    delivery: item.delivery.deliveryId,
    fence,
  })
}
