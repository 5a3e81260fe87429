import type { Duration } from '../../base/duration.ts'
import { optionsInvalid } from '../../base/errors.ts'
import { type Check, checkMembers, type Checks, duration, expecting, isText, oneOf } from '../option-checks.ts'
import { isRecord } from '../../base/value.ts'
import type { Template } from '../../service/content.ts'
import type { AppTransaction } from '../../store/store.ts'

/** What happens to a text of more than 4096 characters: several messages, or `content_invalid` (default). */
export type Long = 'split' | 'refuse'

export interface ReplyOptions {
  /** The template that is sent instead if the 24-hour window is closed. */
  outsideWindow?: Template
  /** Names this reply within its route. Replies without a name are identified by their order. */
  slot?: string
  /** The app's own reference. The statuses of this message contain it. */
  ref?: string
  /** `split`: a text that is too long goes out as several messages. Default: the bot's option `long`. */
  long?: Long
}

/** The app's own name for a message's subject, for instance `['order', id, 'ready']` (IDEM-01). */
export type SendKey = string | readonly (string | number)[]

export interface SendOptions {
  /** Each key is sent at most once. */
  key: SendKey
  outsideWindow?: Template
  ref?: string
  /** See `ReplyOptions`. */
  long?: Long
  /**
   * Service time, or a span from now, such as `'24h'`. A past time means now. `bot.cancel(key)` cancels it. Another time
   * under the same key moves a message that has not begun, with its text.
   */
  at?: Date | Exclude<Duration, number>
  /**
   * `marketing`: skips a customer who opted out or is taken over, and sends `outsideWindow` unless the window is surely
   * open. Default `service`.
   */
  kind?: 'service' | 'marketing'
  /** `accepted` (default): resolves when the service has accepted the message. `stored`: when it is on disk. */
  wait?: 'accepted' | 'stored'
  /**
   * A client of the package `pg` with an open transaction of the app, in the bot's own database. The message is
   * recorded with that transaction or not at all, and is sent after its commit. `wait` is `stored`.
   */
  tx?: AppTransaction
}

/** The options of a scheduled send in a script. */
export interface ScheduleOptions {
  /** Each key is sent at most once, so put an id into it. */
  key: SendKey
  /** Service time. A time in the past means now. Another time under the same key moves a message that has not begun. */
  at: Date
  outsideWindow?: Template
  long?: Long
}

/** The options of a send inside a handler, whose key is derived from the delivery. */
export type HandlerSendOptions = Omit<SendOptions, 'key' | 'tx'>

/** The checked options for the outbox. `key` or `slot` has become the slot of the send. */
export type CheckedOptions = Omit<ReplyOptions & SendOptions, 'key' | 'slot'>

export const outsideWindow = expecting('a template, as template() makes one', (value) => kindIn(value) === 'template')
/** Refuses a number, because the database would return it as another text, such as '7781.0'. */
const ref = expecting('a text, such as String(order.id)', (value) => typeof value === 'string')
export const long = oneOf('split', 'refuse')
const isDate = (value: unknown) => value instanceof Date && Number.isFinite(value.getTime())
/** Refuses a number, because it could be a time or a span. */
const at: Check = (value, name) => {
  if (typeof value === 'string') duration(value, name)
  else expecting("a Date at which it goes out, or a span from now such as '24h'", isDate)(value, name)
}
const key = expecting(
  "a text, or a list of texts and numbers that are not empty, such as ['order', 7781, 'ready']",
  isKey,
)

const REPLY: Checks<ReplyOptions> = {
  outsideWindow,
  slot: expecting('some text that names this reply', isText),
  ref,
  long,
}

const HANDLER_SEND: Checks<HandlerSendOptions> = {
  outsideWindow,
  ref,
  long,
  at,
  kind: oneOf('service', 'marketing'),
  wait: oneOf('accepted', 'stored'),
}

const SCHEDULE: Checks<ScheduleOptions> = {
  key,
  outsideWindow,
  at: expecting('a Date', isDate),
  long,
}

const SEND: Checks<SendOptions> = {
  key,
  ...HANDLER_SEND,
  // The store checks later whether the object is a transaction. With SQLite it refuses every object.
  tx: expecting('a client of the package pg, on which your transaction is open', isRecord),
}

// These functions refuse unknown members: a misspelt `outsideWindow` would be noticed only when a window is closed.
// They return a copy, because the app may change its object while the send is being recorded.

/** @throws SwitchhookError `options_invalid` */
export function checkedReply(options: ReplyOptions): ReplyOptions {
  checkMembers(options, 'reply()', REPLY)
  return { ...options }
}

/** @throws SwitchhookError `options_invalid` */
export function checkedInHandler(options: HandlerSendOptions): HandlerSendOptions {
  checkMembers(options, 'send()', HANDLER_SEND)
  return { ...options }
}

/** @throws SwitchhookError `options_invalid` */
export function checkedSend(options: SendOptions): SendOptions {
  checkMembers(options ?? {}, 'send()', SEND)
  key(options?.key, 'send().key')
  if (options.tx !== undefined && options.wait === 'accepted')
    throw optionsInvalid(
      "send().wait: with tx it is 'stored', because the message is sent after your transaction commits",
    )
  return { ...options }
}

/** @throws SwitchhookError `options_invalid` */
export function checkedSchedule(options: ScheduleOptions): ScheduleOptions {
  checkMembers(options ?? {}, 'chat.send()', SCHEDULE)
  key(options?.key, 'chat.send().key')
  SCHEDULE.at(options.at, 'chat.send().at')
  return { ...options }
}

/** The slot of a message with the app's own key. @throws SwitchhookError `options_invalid` */
export function slotOf(given: unknown): string {
  key(given, 'send().key')
  return JSON.stringify(partsOf(given).map(String))
}

function kindIn(value: unknown): unknown {
  return (value as { kind?: unknown } | null)?.kind
}

function isKey(value: unknown): boolean {
  const parts = partsOf(value)
  return parts.length > 0 && parts.every((part) => (typeof part === 'number' ? Number.isFinite(part) : isText(part)))
}

function partsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value]
}
