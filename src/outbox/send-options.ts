import { type Duration, toMs } from '../base/duration.ts'
import { optionsInvalid, type SwitchhookError } from '../base/errors.ts'
import { kindOf } from '../base/value.ts'
import type { Template } from '../content/index.ts'
import type { AppTransaction } from '../stores/port/index.ts'

/*
 * The options of replies and sends. Each is declared and checked in this file, travels to the outbox as part of the
 * whole, and is read where it takes effect.
 */

export interface ReplyOptions {
  /** The template that goes out instead if the 24-hour window is closed. */
  outsideWindow?: Template
  /** Names this reply within its route; unnamed replies are told apart by their order. */
  slot?: string
  /** The app's own reference; it comes back with the statuses of this message. */
  ref?: string
}

/** The app's own name for a message: what it is about, for instance `['order', id, 'ready']` (IDEM-01). */
export type SendKey = string | readonly (string | number)[]

export interface SendOptions {
  /** The same key is sent once. */
  key: SendKey
  outsideWindow?: Template
  ref?: string
  /**
   * Service time before which the message is kept and not sent; `bot.cancel(key)` takes it back. A time in the past
   * means now. A span such as `'24h'` counts from the service time at which the message is recorded; a rerun does not
   * restart it.
   */
  at?: Date | Exclude<Duration, number>
  /** `accepted` (default): resolves when the service took the message; `stored`: as soon as it is on disk. */
  wait?: 'accepted' | 'stored'
  /**
   * A client of the package `pg` with a transaction of the app's own open, in the database that the bot works on: the
   * message is recorded with it or not at all, and goes out after its commit. So nothing is waited for: `wait` is
   * `stored`.
   */
  tx?: AppTransaction
}

/** The options of a send inside a handler, where the key comes from what is being handled. */
export type HandlerSendOptions = Omit<SendOptions, 'key' | 'tx'>

/** The options as the outbox reads them, after their check. By then `key` or `slot` has become the slot of the send. */
export type CheckedOptions = Omit<ReplyOptions & SendOptions, 'key' | 'slot'>

/** Says what is wrong with a value; undefined if nothing is. */
type Check = (value: unknown) => string | undefined
/** One check for each option: a new option does not compile before it has one. */
type Checks<O> = { readonly [K in keyof O]-?: Check }

const REPLY: Checks<ReplyOptions> = {
  outsideWindow: optional(templateProblem),
  slot: optional((slot) => (isFilled(slot) ? undefined : 'expected some text that names this reply')),
  ref: optional(refProblem),
}

const HANDLER_SEND: Checks<HandlerSendOptions> = {
  outsideWindow: optional(templateProblem),
  ref: optional(refProblem),
  at: optional(timeProblem),
  wait: optional((wait) => (wait === 'accepted' || wait === 'stored' ? undefined : "expected 'accepted' or 'stored'")),
}

const SEND: Checks<SendOptions> = { key: keyProblem, ...HANDLER_SEND, tx: optional(transactionProblem) }

/**
 * Checks the options of a reply. The compiler checks them too, but JavaScript has none: a misspelt fallback would be
 * noticed only on the day when the window is closed.
 *
 * @throws SwitchhookError `options_invalid`
 */
export function checkedReply(options: ReplyOptions): ReplyOptions {
  if (!isObject(options)) throw refuse('reply', `expected an object, got ${kindOf(options)}`)
  return checked('reply', options, REPLY)
}

/**
 * Checks the options of a send inside a handler.
 *
 * @throws SwitchhookError `options_invalid`
 */
export function checkedInHandler(options: HandlerSendOptions): HandlerSendOptions {
  if (!isObject(options)) throw refuse('send', `expected an object, got ${kindOf(options)}`)
  if ('key' in options)
    throw refuse('send', 'key: in a handler it comes from what is being handled; bot.to(…) takes a key of your own')
  if ('tx' in options)
    throw refuse('send', 'tx: what a handler sends belongs to its attempt; bot.to(…) takes a transaction of your own')
  return checked('send', options, HANDLER_SEND)
}

/**
 * Checks the options of a send outside handlers. Two messages without a key, or under an empty one, would be taken for
 * the same message.
 *
 * @throws SwitchhookError `options_invalid`
 */
export function checkedSend(options: SendOptions): SendOptions {
  if (!isObject(options))
    throw refuse('send', `expected { key: ['order', id, 'ready'] }, what the message is about; got ${kindOf(options)}`)
  if (options.tx !== undefined && options.wait === 'accepted')
    throw refuse(
      'send',
      "wait: with tx it is 'stored', since the message goes out after the commit of your transaction",
    )
  return checked('send', options, SEND)
}

/**
 * Checks the key of a one-time code, which takes no other option: a code is never stored, so it cannot wait.
 *
 * @returns the slot of the code.
 * @throws SwitchhookError `options_invalid`
 */
export function checkedCodeKey(options: { key: SendKey }): string {
  const more = Object.keys(options ?? {}).find((name) => name !== 'key')
  if (more !== undefined)
    throw refuse(
      'send',
      `${more}: a one-time code takes a key and nothing else, since it is in memory alone and goes out at once`,
    )
  return slotOf(options?.key)
}

/**
 * The slot of what the app sends under a key of its own.
 *
 * @throws SwitchhookError `options_invalid`
 */
export function slotOf(key: unknown): string {
  const problem = keyProblem(key)
  if (problem !== undefined) throw refuse('send', `key: ${problem}`)
  return JSON.stringify(partsOf(key).map(String))
}

type Method = 'send' | 'reply'

function checked<O extends object>(method: Method, options: O, checks: Checks<O>): O {
  const known = Object.keys(checks)
  const unknown = Object.keys(options).find((name) => !known.includes(name))
  if (unknown !== undefined) throw refuse(method, `there is no option "${unknown}"; there are ${known.join(', ')}`)
  for (const [name, check] of Object.entries<Check>(checks)) {
    const problem = check((options as Record<string, unknown>)[name])
    if (problem !== undefined) throw refuse(method, `${name}: ${problem}`)
  }
  // A copy: the app may change its object while the send is being recorded.
  return { ...options }
}

function optional(check: Check): Check {
  return (value) => (value === undefined ? undefined : check(value))
}

function templateProblem(value: unknown): string | undefined {
  return isObject(value) && 'kind' in value && value.kind === 'template'
    ? undefined
    : 'expected a template, as template() makes one'
}

/** A number is refused, since it would come back as another text: '7781.0'. */
function refProblem(value: unknown): string | undefined {
  return typeof value === 'string' ? undefined : `expected a text, such as String(order.id), got ${typeof value}`
}

/** A number is refused, since it could be a time or a span. */
function timeProblem(at: unknown): string | undefined {
  const isTime = at instanceof Date && Number.isFinite(at.getTime())
  return isTime || isSpan(at) ? undefined : "expected a Date at which it goes out, or a span from now such as '24h'"
}

function transactionProblem(tx: unknown): string | undefined {
  return isObject(tx) && 'query' in tx && typeof tx.query === 'function'
    ? undefined
    : 'expected a client of the package pg, on which your transaction is open'
}

/** A Date cannot show a time further away. */
const LONGEST_SPAN_MS = 8e15

function isSpan(at: unknown): boolean {
  if (typeof at !== 'string') return false
  try {
    return toMs(at as Duration) <= LONGEST_SPAN_MS
  } catch {
    return false
  }
}

function keyProblem(key: unknown): string | undefined {
  const parts = partsOf(key)
  return parts.length > 0 && parts.every(isKeyPart)
    ? undefined
    : "expected a text, or a list of texts and numbers that are not empty, such as ['order', 7781, 'ready']"
}

function partsOf(key: unknown): readonly unknown[] {
  return Array.isArray(key) ? key : [key]
}

function isKeyPart(part: unknown): boolean {
  return typeof part === 'number' ? Number.isFinite(part) : isFilled(part)
}

function isFilled(text: unknown): boolean {
  return typeof text === 'string' && text.trim() !== ''
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function refuse(method: Method, why: string): SwitchhookError {
  return optionsInvalid(`${method}(): ${why}`)
}
