import { SwitchhookError } from '../base/errors.ts'
import { NoAnswerError } from './api-error.ts'
import { deadlineAfter } from './deadline.ts'
import type { Settings } from './options.ts'

interface RunningCall<T> {
  readonly body: string
  readonly result: Promise<T>
}

export type RunningCalls<T> = Map<string, RunningCall<T>>

interface KeyedCall {
  readonly key: string
  readonly phoneNumberId: string | undefined
  readonly body: string
  readonly signal: AbortSignal | undefined
}

/**
 * Coalesces calls under one key into one request while it runs: the service would answer the second with
 * `idempotency_in_progress`. Each further call waits within its own deadline and signal; another body under the key is
 * refused here, as the service would refuse it (`diverged`).
 */
export async function coalesce<T>(
  running: RunningCalls<T>,
  { key, phoneNumberId, body, signal }: KeyedCall,
  settings: Settings,
  run: () => Promise<T>,
): Promise<T> {
  const name = JSON.stringify([phoneNumberId, key])
  for (;;) {
    const call = running.get(name)
    if (call === undefined) break
    if (call.body !== body)
      throw new SwitchhookError(
        'diverged',
        'idempotencyKey: another message is being sent under this key: a different message needs a key of its own',
      )
    try {
      return await waitFor(call.result, signal, settings)
    } catch (error) {
      // If the caller of the running call gave up, this call runs itself.
      const gaveUp = error instanceof NoAnswerError && error.reason === 'aborted' && !signal?.aborted
      if (!gaveUp) throw error
    }
  }
  const result = run()
  running.set(name, { body, result })
  try {
    return await result
  } finally {
    running.delete(name)
  }
}

async function waitFor<T>(result: Promise<T>, signal: AbortSignal | undefined, settings: Settings): Promise<T> {
  const deadline = deadlineAfter(settings.deadline, signal, settings.timers)
  try {
    return await deadline.race(() => result)
  } catch (error) {
    const reason = deadline.passedBy()
    if (reason === undefined) throw error
    throw new NoAnswerError({
      message: `POST /messages: waited for the call under the same key, and ${reason === 'timeout' ? 'had no answer in time' : "was ended by the caller's signal"}; that call goes on`,
      status: undefined,
      code: undefined,
      rule: { status: 0, retry: 'no', outcome: 'unknown' },
      attempts: 0,
      reason,
    })
  } finally {
    deadline.close()
  }
}
