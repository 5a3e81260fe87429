import { SwitchhookError } from '../base/errors.ts'
import { NoAnswerError } from './api-error.ts'
import { cutAfter } from './cut.ts'
import type { Settings } from './settings.ts'

interface Flight<T> {
  readonly body: string
  readonly landed: Promise<T>
}

/** The calls that are under way, by number and key. */
export type Flights<T> = Map<string, Flight<T>>

interface Boarding {
  readonly key: string
  readonly phoneNumberId: string | undefined
  readonly body: string
  readonly signal: AbortSignal | undefined
}

/**
 * Joins calls under one key to one request while it runs: the service would answer the second with
 * `idempotency_in_progress`. Whoever joins waits within its own deadline and signal; another body under the key is
 * refused here, as the service would refuse it (`diverged`).
 */
export async function joined<T>(
  flights: Flights<T>,
  { key, phoneNumberId, body, signal }: Boarding,
  settings: Settings,
  fly: () => Promise<T>,
): Promise<T> {
  const name = JSON.stringify([phoneNumberId, key])
  for (;;) {
    const flight = flights.get(name)
    if (flight === undefined) break
    if (flight.body !== body)
      throw new SwitchhookError(
        'diverged',
        'idempotencyKey: another message is being sent under this key: a different message needs a key of its own',
      )
    try {
      return await waitFor(flight.landed, signal, settings)
    } catch (error) {
      // The one whose request it was gave up; that is no reason for this one.
      const left = error instanceof NoAnswerError && error.reason === 'aborted' && !signal?.aborted
      if (!left) throw error
    }
  }
  const landed = fly()
  flights.set(name, { body, landed })
  try {
    return await landed
  } finally {
    flights.delete(name)
  }
}

async function waitFor<T>(landed: Promise<T>, signal: AbortSignal | undefined, settings: Settings): Promise<T> {
  const cut = cutAfter(settings.deadline, signal, settings.timers)
  try {
    return await cut.race(() => landed)
  } catch (error) {
    const reason = cut.why()
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
    cut.close()
  }
}
