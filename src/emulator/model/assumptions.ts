import { z } from 'zod'

/**
 * The emulator's reading of what the specification leaves open. Each assumption can be switched, also while the emulator
 * runs, so that an app can be tried against more than one reading. The switches that only say what this machine may do
 * are the emulator's own; the fidelity list labels them so.
 */
export interface Assumptions {
  /** The form in which a malformed send is refused: `flat` as `{code, message}`, `detail` as an array of findings (SEND-23). */
  readonly validation: 'flat' | 'detail'
  /**
   * The memory of settled idempotency keys: the specification states two and does not reconcile them (IDEM-06). By its
   * `literal` reading the keys of one-time codes are known for 24 hours, all others until the request settles.
   */
  readonly keysRememberedFor: '24h' | 'until_settled' | 'literal'
  /** Which bodies differ: those with other bytes, or with other JSON in any order of members (IDEM-04). */
  readonly bodiesCompared: 'bytes' | 'json'
  /** The window at exactly 24:00:00.000 after the last inbound message: open or closed to free-form sends (GEN-04). */
  readonly windowAtExactly24h: 'closed' | 'open'
  /** The fewest buttons of a message with buttons; the specification gives only the most (SEND-07). */
  readonly minimumButtons: 0 | 1
  /** A template that is still in review is refused, or sent (SEND-15). */
  readonly pendingTemplate: 'refuse' | 'send'
  /** The case of `status`; the material shows both, so `mixed` takes turns (SEND-17). */
  readonly statusCase: 'upper' | 'lower' | 'mixed'
  /** A template in an unknown state is refused, or sent (SEND-15). */
  readonly unknownTemplateState: 'refuse' | 'send'
  /** The status with which the upstream platform's refusal of an unsynchronised template arrives (TPL-05). */
  readonly unsynchronisedRefusal: '400' | '502'
  /** The reason that is answered if a new customer meets both a full plan and a closed window (SEND-20). */
  readonly checkedFirst: 'contact_limit' | 'window'
  /** `/api/v2/openapi.json` and `/api/v2/docs` ask for a token like every call, or are open to a browser (GEN-11). */
  readonly description: 'open' | 'token'
  /** A send whose Content-Type is missing or not JSON is refused, or read all the same (GEN-16). */
  readonly contentType: 'required' | 'ignored'
  /** An empty `Idempotency-Key` or `X-Phone-Number-Id` counts as absent, or is refused with 422 (GEN-16). */
  readonly emptyHeaders: 'absent' | 'refuse'
  /** A delivery that the app answers with 3xx has failed, or was taken; the redirect is never followed (GEN-16). */
  readonly redirects: 'failed' | 'taken'
  /** Media on this machine or a private network are refused, as the open internet cannot reach them, or accepted (SEND-05). */
  readonly privateMedia: 'refuse' | 'accept'
  /** The time that the upstream platform takes to accept a message, in milliseconds; a key is in flight meanwhile. */
  readonly upstreamMs: number
  /** The times from the acceptance to each message.status, in milliseconds. */
  readonly statusAfterMs: { readonly sent: number; readonly delivered: number }
  /** Payload shapes take turns, or the one of this number (from 0) is always used. */
  readonly payloadShape: 'rotate' | number
  /** The five events that are declared but not confirmed are published, or not (EVT-01). */
  readonly declaredEvents: 'published' | 'unpublished'
  /** `message.status` reports that a voice note was played, or not: the message has that status, the event does not (SEND-24). */
  readonly playedStatus: 'reported' | 'not_reported'
  /** The messages that `message.status` is about, "a message you sent": the app's alone, or also the agent's and people's. */
  readonly statusesOf: 'all' | 'app'
  /** The texts that count as typing `BOT`: the very word, or in any case and with space around it (GEN-06). */
  readonly botMatching: 'exact' | 'any_case'
  /** Endpoints on this machine or a private network, and over http, are allowed, or refused as the service does (DEL-09). */
  readonly localEndpoints: 'allow' | 'refuse'
  /** A retry is signed with a timestamp of its own, or goes stale with the first attempt's (DEL-08). */
  readonly retriesSigned: 'anew' | 'as_first'
  /** The failures that count towards twenty: each failed attempt, or each delivery whose retries have run out (DEL-08). */
  readonly failuresCounted: 'attempts' | 'deliveries'
  /** The time that the app has to answer one attempt, in milliseconds. */
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
  unsynchronisedRefusal: '502',
  checkedFirst: 'contact_limit',
  description: 'token',
  contentType: 'required',
  emptyHeaders: 'absent',
  redirects: 'failed',
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
  failuresCounted: 'deliveries',
  attemptTimeoutMs: 10 * SECOND,
  retryAfterMs: [SECOND, 5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR],
  retryForMs: 24 * HOUR,
  attemptsAtOnce: 32,
}

interface Switch<T> {
  /** The possible values, or the unit in words. */
  readonly values: readonly (string | number)[] | string
  readonly schema: z.ZodType<T>
}

function oneOf<const T extends string | number>(...values: readonly [T, ...T[]]): Switch<T> {
  return { values, schema: z.literal(values) }
}

const ms = z
  .number()
  .min(0)
  .max(2 ** 31 - 1)
const span: Switch<number> = { values: 'milliseconds', schema: ms }

/** Every assumption as something that can be switched. */
export const SWITCHES: { readonly [Name in keyof Assumptions]: Switch<Assumptions[Name]> } = {
  validation: oneOf('flat', 'detail'),
  keysRememberedFor: oneOf('24h', 'until_settled', 'literal'),
  bodiesCompared: oneOf('bytes', 'json'),
  windowAtExactly24h: oneOf('closed', 'open'),
  minimumButtons: oneOf(0, 1),
  statusCase: oneOf('upper', 'lower', 'mixed'),
  unknownTemplateState: oneOf('refuse', 'send'),
  pendingTemplate: oneOf('refuse', 'send'),
  unsynchronisedRefusal: oneOf('400', '502'),
  checkedFirst: oneOf('contact_limit', 'window'),
  description: oneOf('open', 'token'),
  contentType: oneOf('required', 'ignored'),
  emptyHeaders: oneOf('absent', 'refuse'),
  redirects: oneOf('failed', 'taken'),
  privateMedia: oneOf('refuse', 'accept'),
  upstreamMs: span,
  statusAfterMs: {
    values: 'milliseconds: {"sent": 20, "delivered": 60}',
    schema: z.strictObject({ sent: ms, delivered: ms }),
  },
  payloadShape: {
    values: '"rotate", or the number of a shape from 0',
    schema: z.union([z.literal('rotate'), z.int().min(0)]),
  },
  declaredEvents: oneOf('published', 'unpublished'),
  playedStatus: oneOf('reported', 'not_reported'),
  statusesOf: oneOf('all', 'app'),
  botMatching: oneOf('exact', 'any_case'),
  localEndpoints: oneOf('allow', 'refuse'),
  retriesSigned: oneOf('anew', 'as_first'),
  failuresCounted: oneOf('attempts', 'deliveries'),
  attemptTimeoutMs: span,
  retryAfterMs: { values: 'a list of milliseconds; the last one repeats', schema: z.array(ms) },
  retryForMs: span,
  attemptsAtOnce: { values: 'a whole number from 1', schema: z.int().min(1) },
}

export const SWITCH_NAMES = Object.keys(SWITCHES) as (keyof Assumptions)[]

/** Some of the assumptions, each within its values. */
export const assumptionsSchema: z.ZodType<Partial<Assumptions>> = z
  .strictObject(Object.fromEntries(SWITCH_NAMES.map((name) => [name, SWITCHES[name].schema])))
  .partial()
