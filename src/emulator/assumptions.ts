/**
 * What the specification leaves open, as the emulator reads it. Each is an assumption and can be switched, so
 * that an app can be tried against more than one reading.
 */
export interface Assumptions {
  /** How a malformed send is refused: `flat` as `{code, message}`, `detail` as an array of findings (SEND-23). */
  readonly validation: 'flat' | 'detail'
  /** How long a settled idempotency key is remembered: the two statements are not reconciled (IDEM-06). */
  readonly remember: '24h' | 'until_settled'
  /** The case of `status`; the material shows both, so `mixed` takes turns (SEND-17). */
  readonly statusCase: 'upper' | 'lower' | 'mixed'
  /** Whether a template in a state that nobody has heard of is sent (SEND-15). */
  readonly unknownTemplateState: 'refuse' | 'send'
  /** How long the upstream platform takes to accept a message, in milliseconds; a key is in flight meanwhile. */
  readonly upstreamMs: number
  /** When a message.status follows the acceptance, in milliseconds. */
  readonly statusAfterMs: { readonly sent: number; readonly delivered: number }
  /** Payload shapes take turns, or always the one of this number (from 0). */
  readonly payloadShape: 'rotate' | number
  /** How long the app may take to answer one attempt, in milliseconds. */
  readonly attemptTimeoutMs: number
  /** Milliseconds from a failed attempt to the next; the last one repeats. */
  readonly retryAfterMs: readonly number[]
  /** No retry begins later than this after the first attempt, in milliseconds. */
  readonly retryForMs: number
  /** Attempts under way at the same time, per subscription. */
  readonly attemptsAtOnce: number
}

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

export const DEFAULT_ASSUMPTIONS: Assumptions = {
  validation: 'flat',
  remember: '24h',
  statusCase: 'mixed',
  unknownTemplateState: 'refuse',
  upstreamMs: 0,
  statusAfterMs: { sent: 20, delivered: 60 },
  payloadShape: 'rotate',
  attemptTimeoutMs: 10 * SECOND,
  retryAfterMs: [SECOND, 5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR],
  retryForMs: 24 * HOUR,
  attemptsAtOnce: 32,
}
