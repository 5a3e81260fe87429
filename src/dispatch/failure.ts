import { type Backoff, backoffMs } from '../base/backoff.ts'
import type { Random } from '../base/clock.ts'
import { reasonOf, SwitchhookError } from '../base/errors.ts'
import { framesOf } from './frames.ts'
import { maskPhone, maskToken } from '../base/mask.ts'
import { ApiError } from '../client/index.ts'
import { GiveUp, RetryIn, type Verdict } from '../routes/index.ts'
import type { Settlement, StartedItem } from '../stores/port/index.ts'

export interface AttemptLimits {
  /** Attempts before an item is given up. */
  readonly max: number
  /** Milliseconds from its ingest after which a failing item is given up. */
  readonly withinMs: number
  /** Milliseconds for one attempt; waiting for replies does not count. */
  readonly deadlineMs: number
}

/** Codes of errors that another attempt would only repeat. */
const FOR_GOOD = new Set([
  'content_invalid',
  'options_invalid',
  'outside_window',
  'recipient_not_allowed',
  'no_access_token',
  'diverged',
  'session_invalid',
  'script_not_repeatable',
  'media_refused',
])
const PARKED = new Set(['fact_missing', 'recipient_not_confirmed'])

const BACKOFF: Backoff = { firstMs: 1_000, longestMs: 10 * 60_000, jitter: 'full' }
/**
 * The longest back-off that blocks its lane, and so keeps the lane's order; during a longer one the rest of the lane
 * goes on.
 */
const BLOCKS_LANE_MS = 30_000

/**
 * Stands behind the reason of an item that was given up for its age. Without it a first attempt that is the last, after
 * an outage or a long `RetryIn`, would look like a mistake.
 */
const TOO_LATE = '(the next attempt would come after attempts.within)'

export type FailedSettlement = Extract<Settlement, { readonly as: 'retry' | 'parked' | 'dead' }>

/** Decides what a failed attempt means for its item. */
export function decideItem(
  error: unknown,
  item: { readonly attempt: number; readonly createdAt: number; readonly completedHandlers: readonly string[] },
  rules: {
    readonly limits: AttemptLimits
    readonly now: number
    readonly random: Random
    /** The decision of the app's own `onError`; the limits hold all the same. */
    readonly verdict?: Verdict
  },
): FailedSettlement {
  const reason = describe(error)
  const { completedHandlers } = item
  const { limits, now, random, verdict } = rules
  if (verdict === 'dead' || error instanceof GiveUp) return { as: 'dead', reason, completedHandlers }
  if (verdict === undefined && isParked(error)) return { as: 'parked', reason, completedHandlers }
  if (verdict === undefined && isForGood(error)) return { as: 'dead', reason, completedHandlers }
  const wait = error instanceof RetryIn ? Math.ceil(error.waitMs) : backoffMs(item.attempt, BACKOFF, random)
  if (item.attempt >= limits.max) return { as: 'dead', reason, completedHandlers }
  if (now + wait - item.createdAt > limits.withinMs)
    return { as: 'dead', reason: `${reason} ${TOO_LATE}`, completedHandlers }
  return { as: 'retry', reason, at: now + wait, blocksLane: wait <= BLOCKS_LANE_MS, completedHandlers }
}

function isParked(error: unknown): boolean {
  return error instanceof SwitchhookError && PARKED.has(error.code)
}

function isForGood(error: unknown): boolean {
  if (error instanceof ApiError) return !error.retryable
  return error instanceof SwitchhookError && FOR_GOOD.has(error.code)
}

const REASON_CHARACTERS = 500

function describe(error: unknown): string {
  const name = error instanceof Error && error.name !== 'Error' ? `${error.name}: ` : ''
  return `${name}${reasonOf(error)}`.slice(0, REASON_CHARACTERS)
}

type Subject = Pick<StartedItem, 'customer' | 'facts' | 'earlier'>

/** A shorter text of a customer tells nothing about a person, and may be part of any word. */
const TELLING_CHARACTERS = 4
/**
 * Words of this library's own messages. A customer's text that is one of them tells nothing about a person, and an error
 * without them would not be understood: such a text is removed where it stands in quotation marks, as a value does.
 */
const OWN_WORDS = new Set(
  `address answer body button buttons code conversation customer document event handler image language list location media
  message messages name nothing number numbers only order other parameters recipient reply send sent service session
  status template templates text that there this time title token type video voice what window with`.split(/\s+/),
)
/** The characters that people write between the digits of a phone number. */
const BETWEEN_DIGITS = String.raw`[ ().\-]{0,3}`

/** As customers' numbers come from the service: digits alone, or behind a plus sign. */
const NUMBER = /(?<!\w|\d\.)\d{10,15}(?!\w|\.\d)/g
/** An id in one case, such as a ULID, is no token; a shorter name may be one of a function. */
const PERHAPS_TOKEN = /[\w+-]{32,}/g

/**
 * Removes from a text the customer's number and message, and what looks like a token or another customer's number: a
 * handler's own error often quotes them, and the log must not.
 */
export function redact(text: string, subject: Subject): string {
  return withoutNumbers(withoutMessages(text, subject), subject)
}

function withoutMessages(text: string, subject: Subject): string {
  return textsOf(subject).reduce(withoutMessage, text)
}

function withoutNumbers(text: string, { customer }: Subject): string {
  const withoutOwn =
    customer === undefined
      ? text
      : text.replace(new RegExp(Array.from(customer).join(BETWEEN_DIGITS), 'g'), maskPhone(customer))
  return withoutOwn
    .replaceAll(NUMBER, maskPhone)
    .replaceAll(PERHAPS_TOKEN, (run) =>
      [/[a-z]/, /[A-Z]/, /\d/].every((kind) => kind.test(run)) ? maskToken(run) : run,
    )
}

function withoutMessage(text: string, message: string): string {
  if (!OWN_WORDS.has(message.toLowerCase())) return text.replaceAll(message, '[text]')
  return text.replaceAll(new RegExp(`(?<=["'\`“‘])${message}(?=["'\`”’])`, 'g'), '[text]')
}

/** The texts of the message, or of a burst; the longest first, since one may be a part of another. */
function textsOf({ facts, earlier }: Subject): string[] {
  const texts = [{ facts }, ...earlier].map(
    (one) => (JSON.parse(one.facts) as { values: { text?: string } }).values.text?.trim() ?? '',
  )
  return texts.filter(({ length }) => length >= TELLING_CHARACTERS).toSorted((one, two) => two.length - one.length)
}

export interface RedactedError {
  readonly name: string
  readonly message: string
  /** The section of the docs about an error of this library. */
  readonly docs?: string
  readonly stack?: string
}

/**
 * Redacts the name, message and stack of an error. The app's own frames come first in the stack. Its other members are
 * left out, since they may hold anything.
 */
export function redactError(error: unknown, subject: Subject): RedactedError {
  const name = error instanceof Error ? error.name : typeof error
  const message = redact(reasonOf(error), subject)
  const frames = redactedFrames(error, subject)
  return {
    name,
    message,
    ...(error instanceof SwitchhookError && { docs: error.docs }),
    ...(frames.length > 0 && { stack: [`${name}: ${message}`, ...frames].join('\n    ') }),
  }
}

/** The frames of an error, without its message; a function may be named by a customer's number. */
export function redactedFrames(error: unknown, subject: Subject): string[] {
  return framesOf(error).map((frame) => redactFrame(frame, subject))
}

/** The end of a frame that names a source file: the app's own name of a file, even if a customer wrote the same word. */
const SOURCE_FILE = /(?:^at (?:async )?|\()[^()]+\.[cm]?[jt]sx?:\d+:\d+\)?$/

function redactFrame(frame: string, subject: Subject): string {
  const from = SOURCE_FILE.exec(frame)?.index ?? frame.length
  return withoutNumbers(withoutMessages(frame.slice(0, from), subject) + frame.slice(from), subject)
}
