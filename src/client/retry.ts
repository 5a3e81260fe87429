import { ApiError, NoAnswerError } from './api-error.ts'
import type { Attempt } from './call.ts'
import { sleep } from './cut.ts'
import type { Pause } from './pauses.ts'
import type { Settings } from './settings.ts'
import { tokensOfCall } from './token.ts'
import { waits } from './waits.ts'

interface Repeats {
  /** Whether a repeat does no harm where the outcome is unknown: a read, or a send under a key (ERR-04). */
  readonly safe: boolean
  readonly signal: AbortSignal | undefined
  /** What a 429 to one send asks of all; a read has none. */
  readonly pause?: Pause
}

/**
 * The one layer that retries, by the contract's table (ERR-03). Ends before a wait that would pass the deadline, with
 * the error of the last attempt. A 401 is tried once more at once, where the token has changed since. No attempt begins
 * while its number pauses.
 */
export async function withRetries<T>(
  settings: Settings,
  { safe, signal, pause }: Repeats,
  run: (attempt: Attempt) => Promise<T>,
): Promise<{ value: T; attempts: number }> {
  const began = settings.now()
  const left = () => settings.deadline - (settings.now() - began)
  const waitAfter = waits(settings)
  const tokens = tokensOfCall(settings.token)
  const rest = async (ms: number, why: ApiError) => {
    if (ms >= left()) throw why
    if ((await sleep(ms, signal, settings.timers)) === 'aborted') throw abortedAfter(why)
  }
  let renewable = settings.tokenMayChange && settings.maxRetries > 0
  for (let nth = 1, over: ApiError | undefined; ; nth++) {
    let waitsFor = over
    for (let ms = pause?.left(); pause && ms; ms = pause.left()) await rest(ms, (waitsFor ??= pause.limits(ms)))
    // A timer may be late, as on a machine that slept.
    if (waitsFor && left() <= 0) throw waitsFor
    const timeout = Math.min(settings.timeout, left())
    try {
      return { value: await run({ nth, timeout, token: tokens.next }), attempts: nth }
    } catch (error) {
      // The token is still the refused one, and nothing went out with it again.
      if (!(error instanceof ApiError) || error === over) throw error
      over = error.after(nth, over?.outcome === 'unknown')
    }
    if (over.status === 401 && renewable) {
      renewable = false
      tokens.refused(over)
      continue
    }
    const wait = over.outcome === 'unknown' && !safe ? undefined : waitAfter(over)
    if (over.status === 429) pause?.begin(over)
    if (wait === undefined) throw over
    await rest(wait, over)
  }
}

/** The caller's signal ended a wait; the outcome is what was known by then. */
function abortedAfter(over: ApiError): NoAnswerError {
  return new NoAnswerError({
    message: `ended by the caller's signal, while waiting after: ${over.message}`,
    status: undefined,
    code: undefined,
    rule: { status: 0, retry: 'no', outcome: over.outcome },
    attempts: over.attempts,
    reason: 'aborted',
    idempotencyKeyHash: over.idempotencyKeyHash,
    cause: over,
  })
}
