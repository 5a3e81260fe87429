import { type Duration, toMs } from '../../base/duration.ts'
import { optionsInvalid, type SwitchhookError } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import type { Out, Schema } from '../standard-schema.ts'
import { misspelt } from '../option-checks.ts'
import type { Choice, Content, Template } from '../../service/content.ts'
import { INBOUND_MEDIA_KINDS, type InboundMediaKind } from '../../service/contract.ts'
import type { ScheduleOptions } from '../out/send-options.ts'
import type { Conversation, CustomerContext, Env, MediaFact } from './context.ts'
import { compileWords, fold, type Word } from './pattern.ts'

/**
 * Why a conversation ended before its script did. `failed`: the script or one of its steps became a dead letter or was
 * parked. `changed`: the script was changed meanwhile.
 */
export type EndReason = 'cancelled' | 'timeout' | 'too_many_tries' | 'changed' | 'failed'

export interface ConversationOptions<E extends Env> {
  /**
   * Increase it if a changed script cannot continue from its journal: if you add or remove questions, or change their
   * meaning. You may reword texts at any time. A process with a lower version leaves newer conversations to the others.
   */
  version: number
  /** How long each question stays open, in service time. A `sleep` does not count. */
  timeout: Duration
  /** Whole texts that end the conversation. Case and accents are ignored. */
  cancelWords?: readonly string[]
  /** Texts that go to the routes while the question stays open. Words match whole texts. */
  passThrough?: readonly Word[]
  /**
   * What happens to an open conversation with a changed script, when its customer writes or its time comes. `restart`
   * (default): the script starts again with the same input. `end`: it ends, and `onEnd` can notify the customer;
   * without `onEnd` the message goes to the routes. `routes`: it ends, and the message goes to the routes.
   */
  onChanged?: 'restart' | 'end' | 'routes'
  /** Called once when the conversation ends before its script does. Not called if another conversation replaces it. */
  onEnd?: (ctx: CustomerContext<E>, why: EndReason) => unknown
}

export type Script<I> = (chat: Chat<Env>, input: I) => Promise<unknown>

export interface ConversationDefinition {
  readonly name: string
  readonly version: number
  readonly timeoutMs: number
  readonly onChanged: 'restart' | 'end' | 'routes'
  readonly onEnd: ((ctx: CustomerContext<Env>, why: EndReason) => unknown) | undefined
  readonly script: Script<unknown>
  isCancelWord(text: string): boolean
  passesThrough(text: string): boolean
}

const definitions = new WeakMap<object, ConversationDefinition>()

/** @throws SwitchhookError `options_invalid` */
export function defineConversation<I>(
  name: string,
  options: ConversationOptions<never>,
  script: Script<I>,
): { readonly made: Conversation<I>; readonly definition: ConversationDefinition } {
  if (typeof name !== 'string' || name.trim() === '') throw refuse('expected a name')
  if (typeof script !== 'function') throw refuse(`"${name}": expected a script, got ${typeof script}`)
  const definition: ConversationDefinition = { name, script: script as Script<unknown>, ...checked(name, options) }
  const made: Conversation<I> = Object.freeze({ name })
  definitions.set(made, definition)
  return { made, definition }
}

/** @throws SwitchhookError `options_invalid` if `conversation()` did not make it. */
export function definitionOf(conversation: unknown): ConversationDefinition {
  const found = typeof conversation === 'object' && conversation !== null ? definitions.get(conversation) : undefined
  if (found) return found
  throw optionsInvalid('enter(): expected a conversation from bot.conversation(…)')
}

const KNOWN: readonly string[] = [
  'version',
  'timeout',
  'cancelWords',
  'passThrough',
  'onChanged',
  'onEnd',
] satisfies (keyof ConversationOptions<Env>)[]

function checked(name: string, o: ConversationOptions<never>) {
  const problem = (what: string) => refuse(`"${name}": ${what}`)
  if (typeof o !== 'object' || o === null) throw problem('expected options such as { version: 1, timeout: "30m" }')
  const unknown = Object.keys(o).find((option) => !KNOWN.includes(option))
  if (unknown !== undefined)
    throw problem(`the option "${unknown}" does not exist; the options are ${KNOWN.join(', ')}`)
  const { version, timeout, cancelWords = [], passThrough = [], onChanged = 'restart', onEnd } = o
  if (!Number.isInteger(version) || version < 1) throw problem('version: expected a whole number from 1 on')
  const timeoutMs = Math.ceil(toMs(timeout, `conversation "${name}": timeout`))
  if (timeoutMs <= 0) throw problem("timeout: expected a span above zero such as '30m'")
  if (!Array.isArray(cancelWords) || !cancelWords.every(isFilled))
    throw problem("cancelWords: expected a list of words such as ['cancel']")
  if (!Array.isArray(passThrough) || !passThrough.every((word) => word instanceof RegExp || isFilled(word)))
    throw problem('passThrough: expected a list of words and expressions such as [/help/i]')
  if (!['restart', 'end', 'routes'].includes(onChanged))
    throw problem("onChanged: expected 'restart', 'end' or 'routes'")
  if (onEnd !== undefined && typeof onEnd !== 'function') throw problem('onEnd: expected a function')
  const cancels = new Set(cancelWords.map((word) => fold(word)))
  const passes = compileWords(passThrough)
  return {
    version,
    timeoutMs,
    onChanged,
    onEnd: onEnd as ConversationDefinition['onEnd'],
    isCancelWord: (text: string) => cancels.size > 0 && cancels.has(fold(text)),
    passesThrough: (text: string) => passThrough.length > 0 && passes.hears(text) !== undefined,
  }
}

function isFilled(word: unknown): boolean {
  return typeof word === 'string' && fold(word) !== ''
}

function refuse(why: string): SwitchhookError {
  return optionsInvalid(`conversation(): ${why}`)
}

/** The options of `chat.say`. */
export interface SayOptions {
  /** The template that is sent instead if the 24-hour window is closed. */
  outsideWindow?: Template
}

/** The options of a question. */
export interface AskOptions extends SayOptions {
  /** Sent after an answer that does not fit. Default: the question again. */
  invalid?: Content
  /** The number of misfits before the conversation ends as `too_many_tries`. Default: any number. */
  tries?: number
  /**
   * A reminder, sent once if the question is still open after this time. If the window is closed by then, it needs a
   * template.
   */
  remind?: { after: Duration; content: Content; outsideWindow?: Template }
}

/** An answer is a text, so a schema that accepts no text, such as `z.number()`, would refuse every answer. */
type TakesText<S> = S extends { '~standard': { types?: { input: infer I } | undefined } }
  ? string extends I
    ? unknown
    : [Extract<I, string>] extends [never]
      ? 'this schema accepts no text, but an answer is a text: use for example z.coerce.number()'
      : unknown
  : unknown

/** An answer that is not a text: see `media`. */
export interface Answer<A> {
  /** Only for types. */
  readonly answer: A
}

export interface MediaAnswer {
  readonly kind: 'media'
  readonly of: InboundMediaKind
  readonly max: number
  readonly skip: readonly string[]
}

/**
 * Accepts pictures, sounds, videos or documents as an answer.
 *
 *     const photos = await chat.ask('Photos, or NO', { as: media('image', { max: 3, skip: ['no'] }) })
 *
 * Several media of one burst are one answer: see the option `burst` of the bot.
 *
 * @param o.max how many media of one answer are used. Default 1. @param o.skip words that answer without media: `[]`.
 * @throws SwitchhookError `options_invalid`
 */
export function media(kind: InboundMediaKind, o: { max?: number; skip?: readonly string[] } = {}): Answer<MediaFact[]> {
  const { max = 1, skip = [] } = o
  const given: unknown = kind
  if (!INBOUND_MEDIA_KINDS.includes(kind)) {
    const meant = misspelt(String(given), INBOUND_MEDIA_KINDS) ?? INBOUND_MEDIA_KINDS.join(', ')
    throw optionsInvalid(`media(): there is no kind "${String(given)}": did you mean ${meant}?`)
  }
  if (!Number.isInteger(max) || max < 1) throw optionsInvalid('media(): max: expected a whole number from 1 on')
  if (!Array.isArray(skip) || !skip.every((word) => typeof word === 'string' && word.trim() !== ''))
    throw optionsInvalid("media(): skip: expected a list of words such as ['no']")
  const answer: MediaAnswer = { kind: 'media', of: kind, max, skip: [...skip] }
  return Object.freeze(answer) as unknown as Answer<MediaFact[]>
}

type AnswerTo<C> = C extends Choice<infer Id> ? Id : string

/**
 * The customer, as a conversation's script talks with them. A script runs again from its beginning at every answer and
 * gets its earlier results from its journal. So use `chat` for everything that may differ between runs: read the time
 * with `now`, and call other code in `once`. The steps of a script are its calls of `chat`; each waits for the previous
 * one.
 *
 * An error of a step fails the attempt, which is repeated like a handler's. The script itself never sees it.
 *
 * Unless `NODE_ENV` is `production`, a script runs again over its journal after each run, without effects. If it then
 * does something else, the attempt is a dead letter: `script_not_repeatable`.
 */
// oxlint-disable-next-line typescript/no-explicit-any -- a helper takes any bot's chat
export interface Chat<E extends Env = any> {
  /** The phone number in digits. */
  readonly customer: string
  readonly number: E['number']
  /** The customer's session at this step. Only handlers change it. */
  readonly session: Readonly<E['session']>
  /** Writes nothing while the script repeats earlier steps. */
  readonly log: Log
  /** Sends a message. It is sent once, however often the script runs. */
  say(content: Content, o?: SayOptions): Promise<void>
  /**
   * Schedules a message as one step: it is recorded once, however often the script runs, and goes out at its time
   * whatever becomes of the conversation. `bot.cancel(key)` takes it back.
   *
   *     await chat.send(reminder, { key: ['visit', visit.id], at: dayBefore(visit) })
   */
  send(content: Content | Template, o: ScheduleOptions): Promise<void>
  /**
   * Asks a question and waits for the answer, if necessary for days. The answer to buttons or a list is the id of an
   * option, tapped or written. Any other answer is a text. With `as` it is the schema's output, or media. The schema
   * must accept a text: use `z.coerce.number()`, not `z.number()`. The texts of a burst are one answer, on separate
   * lines.
   *
   * An answer that JSON cannot represent, such as a date, is parsed again by its schema whenever the script runs.
   */
  // oxlint-disable-next-line typescript/no-explicit-any -- any library's schema
  ask<S extends Schema<any, any>>(content: Content, o: AskOptions & { as: S & TakesText<S> }): Promise<Out<S>>
  ask<A>(content: Content, o: AskOptions & { as: Answer<A> }): Promise<A>
  ask<const C extends Content>(content: C, o?: AskOptions): Promise<AnswerTo<C>>
  /**
   * Runs an effect of the app and stores its JSON result in the journal before returning it. Later runs of the script
   * get the stored result. A crash inside the effect runs it again. An effect that throws fails the attempt, so return
   * what the script must know about a failure. Not for secrets, because the result is stored on disk. The effect may
   * read `now` and `session`; any other step inside it is refused.
   */
  once<T>(name: string, effect: () => T | Promise<T>): Promise<T>
  /** Waits for a span of service time. Meanwhile the customer's messages go to the routes. */
  sleep(span: Duration): Promise<void>
  /** Waits until a service time. Does not wait for a time in the past. */
  sleepUntil(at: Date): Promise<void>
  /**
   * Runs another conversation as a part of this one. Its questions use its own words and timeout. A cancel, a timeout
   * or too many tries there end the whole conversation.
   */
  enter<I>(conversation: Conversation<I>, ...input: I extends void ? [] : [I]): Promise<void>
  /** Service time, the same whenever the script runs. */
  now(): Date
}
