import type { ErrorRule } from '../contract/index.ts'
import { ApiError, NoAnswerError } from './api-error.ts'
import { sleep } from './cut.ts'
import type { Settings } from './settings.ts'

const BACKOFF_FIRST_MS = 500
const BACKOFF_LONGEST_MS = 20_000
const CAUTIOUS_RETRIES = 1
const CAUTIOUS_SHORTEST_MS = 2_000
const PAUSE_SHORTEST_MS = 1_000
const PAUSE_SPREAD_MS = 2_000
const PAUSES_TOGETHER_MS = 60_000

interface Repeats {
  /** Whether a repeat does no harm where the outcome is unknown: a read, or a send under a key (ERR-04). */
  readonly safe: boolean
  readonly signal: AbortSignal | undefined
}

/**
 * The one layer that retries, by the contract's table (ERR-03). `attempt` gets the milliseconds that it may take.
 * Ends before a wait that would pass the deadline, with the error of the last attempt.
 */
export async function withRetries<T>(
  settings: Settings,
  { safe, signal }: Repeats,
  attempt: (timeout: number) => Promise<T>,
): Promise<{ value: T; attempts: number }> {
  const began = settings.now()
  const left = () => settings.deadline - (settings.now() - began)
  const waitAfter = waits(settings)
  for (let attempts = 1, unknown = false; ; attempts++) {
    let over: ApiError
    try {
      return { value: await attempt(Math.min(settings.attemptTimeout, left())), attempts }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      over = error.after(attempts, unknown)
    }
    unknown = over.outcome === 'unknown'
    const wait = unknown && !safe ? undefined : waitAfter(over.rule)
    if (wait === undefined || wait >= left()) throw over
    if ((await sleep(wait, signal, settings.timers)) === 'aborted') throw abortedAfter(over)
  }
}

/** How long to wait after each kind of failure, each within a bound of its own; undefined ends it. */
function waits({ random, retries }: Settings): (rule: ErrorRule) => number | undefined {
  let backoffs = 0
  let cautious = 0
  let paused = 0
  return ({ retry }) => {
    if (retry === 'no' || retries === 0) return undefined
    if (retry === 'backoff') {
      if (backoffs >= retries) return undefined
      return random() * Math.min(BACKOFF_LONGEST_MS, BACKOFF_FIRST_MS * 2 ** backoffs++)
    }
    if (retry === 'cautious') return cautious++ < CAUTIOUS_RETRIES ? CAUTIOUS_SHORTEST_MS * (1 + random()) : undefined
    const wait = PAUSE_SHORTEST_MS + random() * PAUSE_SPREAD_MS
    paused += wait
    return paused <= PAUSES_TOGETHER_MS ? wait : undefined
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
    cause: over,
  })
}
