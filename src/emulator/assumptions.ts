/**
 * What the specification leaves open, as the emulator reads it. Each is an assumption and can be switched, also
 * while it runs, so that an app can be tried against more than one reading. The switches that only say what this
 * machine may do are the emulator's own; `fidelity.ts` tells which is which.
 */
export interface Assumptions {
  /** How a malformed send is refused: `flat` as `{code, message}`, `detail` as an array of findings (SEND-23). */
  readonly validation: 'flat' | 'detail'
  /** How long a settled idempotency key is remembered: the two statements are not reconciled (IDEM-06). */
  readonly keysRememberedFor: '24h' | 'until_settled'
  /** What another body is: other bytes, or other JSON whatever the order of its members (IDEM-04). */
  readonly bodiesCompared: 'bytes' | 'json'
  /** Whether a free-form send exactly 24:00:00.000 after the last inbound message is still accepted (GEN-04). */
  readonly windowAtExactly24h: 'closed' | 'open'
  /** How many buttons a message with buttons has at least; only the maximum is given (SEND-07). */
  readonly minimumButtons: 0 | 1
  /** Whether a template that is still in review is refused or sent (SEND-15). */
  readonly pendingTemplate: 'refuse' | 'send'
  /** The case of `status`; the material shows both, so `mixed` takes turns (SEND-17). */
  readonly statusCase: 'upper' | 'lower' | 'mixed'
  /** Whether a template in a state that nobody has heard of is sent (SEND-15). */
  readonly unknownTemplateState: 'refuse' | 'send'
  /** How the upstream platform's refusal of a template that is not synchronised yet arrives (TPL-05). */
  readonly unsynchronisedRefusal: '400' | '502'
  /** Which of two reasons is answered where a new customer meets a full plan and a closed window (SEND-20). */
  readonly checkedFirst: 'contact_limit' | 'window'
  /** Whether `/api/v2/openapi.json` and `/api/v2/docs` ask for a token, as a browser cannot send one (GEN-11). */
  readonly description: 'open' | 'token'
  /** Whether media on this machine or a private network are refused, as from the open internet (SEND-05). */
  readonly privateMedia: 'refuse' | 'accept'
  /** How long the upstream platform takes to accept a message, in milliseconds; a key is in flight meanwhile. */
  readonly upstreamMs: number
  /** When a message.status follows the acceptance, in milliseconds. */
  readonly statusAfterMs: { readonly sent: number; readonly delivered: number }
  /** Payload shapes take turns, or always the one of this number (from 0). */
  readonly payloadShape: 'rotate' | number
  /** Whether the five events that are declared and not confirmed are published when something happens (EVT-01). */
  readonly declaredEvents: 'published' | 'unpublished'
  /** Whether `message.status` says that a voice note was played: the message has that status, the event not (SEND-24). */
  readonly playedStatus: 'reported' | 'not_reported'
  /** Whose messages `message.status` is about, "a message you sent": the app's alone, or also the agent's and people's. */
  readonly statusesOf: 'all' | 'app'
  /** Which texts count as typing `BOT`: the very word, or in any case and with space around it (GEN-06). */
  readonly botMatching: 'exact' | 'any_case'
  /** Whether endpoints on this machine or a private network, and http, are taken, as the service never does (DEL-09). */
  readonly localEndpoints: 'allow' | 'refuse'
  /** Whether a retry has a timestamp and a signature of its own, or goes stale with the first one's (DEL-08). */
  readonly retriesSigned: 'anew' | 'as_first'
  /** What counts towards the twenty failures: each failed attempt, or a delivery whose retries have run out (DEL-08). */
  readonly failuresCounted: 'attempts' | 'deliveries'
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
  keysRememberedFor: '24h',
  bodiesCompared: 'bytes',
  windowAtExactly24h: 'closed',
  minimumButtons: 1,
  pendingTemplate: 'refuse',
  statusCase: 'mixed',
  unknownTemplateState: 'refuse',
  unsynchronisedRefusal: '400',
  checkedFirst: 'contact_limit',
  description: 'open',
  privateMedia: 'refuse',
  upstreamMs: 0,
  statusAfterMs: { sent: 20, delivered: 60 },
  payloadShape: 'rotate',
  declaredEvents: 'published',
  playedStatus: 'reported',
  statusesOf: 'all',
  botMatching: 'any_case',
  localEndpoints: 'allow',
  retriesSigned: 'anew',
  failuresCounted: 'attempts',
  attemptTimeoutMs: 10 * SECOND,
  retryAfterMs: [SECOND, 5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR],
  retryForMs: 24 * HOUR,
  attemptsAtOnce: 32,
}
