import { type Duration, toMs } from '../base/duration.ts'
import { optionsInvalid, type SwitchhookError } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import type { Out, Schema } from '../base/schema.ts'
import { misspelt } from '../base/suggest.ts'
import type { Choice, Content, Template } from '../content/content.ts'
import { INBOUND_MEDIA_KINDS, type InboundMediaKind } from '../contract/index.ts'
import type { Conversation, CustomerContext, Env, MediaFact } from './context.ts'
import { compileWords, fold, type Word } from './pattern.ts'

/**
 * How a conversation ends before its script does. `failed`: its script, or a step of it, was given up as a dead letter,
 * or parked. `changed`: its script is another one by now.
 */
export type EndReason = 'cancelled' | 'timeout' | 'too_many_tries' | 'changed' | 'failed'

export interface ConversationOptions<E extends Env> {
  /**
   * Raise it if the script changes so that it could not continue from its journal: if questions come, go or mean something
   * else. Texts may be reworded at any time. A process whose version is lower leaves newer conversations to the others.
   */
  version: number
  /** How long a question stays open, of service time; each question has it in full. A `sleep` does not count. */
  timeout: Duration
  /** Whole texts that end the conversation, case and accents folded. */
  cancelWords?: readonly string[]
  /** Texts that go to the routes while the question stays open. Words are whole texts. */
  passThrough?: readonly Word[]
  /**
   * The fate of an open conversation whose script has changed, when its customer writes or its time comes. `restart`
   * (default): its script starts again with the same input. `end`: it ends, and `onEnd` tells the customer; without `onEnd`
   * the message goes to the routes. `routes`: it ends, and the message goes to the routes.
   */
  onChanged?: 'restart' | 'end' | 'routes'
  /** Called once when the conversation ends before its script does. Not if another conversation takes its place. */
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
  if (unknown !== undefined) throw problem(`there is no option "${unknown}"; there are ${KNOWN.join(', ')}`)
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
  /** The template that goes out instead if the 24-hour window is closed. */
  outsideWindow?: Template
}

/** The options of a question. */
export interface AskOptions extends SayOptions {
  /** Said after an answer that does not fit; default: the question again. */
  invalid?: Content
  /** Answers that may fail to fit before the conversation ends as `too_many_tries`; default: any number. */
  tries?: number
}

/** An answer is a text, so a schema that takes none, such as `z.number()`, would refuse every answer. */
type TakesText<S> = S extends { '~standard': { types?: { input: infer I } | undefined } }
  ? string extends I
    ? unknown
    : [Extract<I, string>] extends [never]
      ? 'this schema takes no text: an answer is one, so use for example z.coerce.number()'
      : unknown
  : unknown

/** An answer that is no text: see `media`. */
export interface Answer<A> {
  /** For types alone. */
  readonly answer: A
}

export interface MediaAnswer {
  readonly kind: 'media'
  readonly of: InboundMediaKind
  readonly max: number
  readonly skip: readonly string[]
}

/**
 * Asks for pictures, sounds, videos or documents as an answer.
 *
 *     const photos = await chat.ask('Photos, or NO', { as: media('image', { max: 3, skip: ['no'] }) })
 *
 * Several of one burst are one answer: see the option `burst` of the bot.
 *
 * @param o.max how many are taken of one answer; default 1. @param o.skip words that answer without any: `[]`.
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
 * The customer, as the script of a conversation talks with them. A script runs again from its beginning at every answer,
 * and what it has done is given back to it from its journal. So a script does through `chat` all that is not the same
 * each time: it reads the time with `now`, and calls other code in `once`. The steps of a script are its calls of `chat`;
 * each waits for the one before.
 *
 * An error of a step is an error of the attempt, which is repeated as a handler's is; the script itself never sees it.
 *
 * Unless `NODE_ENV` is `production`, a script runs again over its journal after each run, without effects, and an
 * attempt whose script then does something else is a dead letter: `script_not_repeatable`.
 */
// oxlint-disable-next-line typescript/no-explicit-any -- a helper takes any bot's chat
export interface Chat<E extends Env = any> {
  /** Phone digits. */
  readonly customer: string
  readonly number: E['number']
  /** The customer's session as this step of the script found it; handlers change it. */
  readonly session: Readonly<E['session']>
  /** Writes nothing while the script is only led back to where it was. */
  readonly log: Log
  /** Sends a message. It goes out once, however often the script runs. */
  say(content: Content, o?: SayOptions): Promise<void>
  /**
   * Asks a question and waits for the answer, for days if it has to. The answer to buttons or a list is the id of an
   * option, tapped or written; to anything else it is a text. With `as` it is what the schema makes of that, or media. So
   * the schema has to take a text: `z.coerce.number()`, since no answer fits `z.number()`.
   * The texts of a burst are one answer, in lines.
   *
   * An answer that is no JSON, such as a date, is parsed again by its schema whenever the script runs.
   */
  // oxlint-disable-next-line typescript/no-explicit-any -- any library's schema
  ask<S extends Schema<any, any>>(content: Content, o: AskOptions & { as: S & TakesText<S> }): Promise<Out<S>>
  ask<A>(content: Content, o: AskOptions & { as: Answer<A> }): Promise<A>
  ask<const C extends Content>(content: C, o?: AskOptions): Promise<AnswerTo<C>>
  /**
   * Runs an effect of the app's own, and keeps its JSON result in the journal before it is returned: the script gets
   * that result back whenever it runs again. A crash inside the effect runs the effect again. An effect that throws fails
   * the attempt; let it return what the script is to know of a failure. Not for secrets: the result lies on disk.
   * The effect may read `now` and `session`; any other step within it is refused.
   */
  once<T>(name: string, effect: () => T | Promise<T>): Promise<T>
  /** Waits for a span of service time. Messages of the customer go to the routes meanwhile. */
  sleep(span: Duration): Promise<void>
  /** Waits until a service time; one in the past is no wait. */
  sleepUntil(at: Date): Promise<void>
  /**
   * Goes through another conversation as a part of this one. Its own words and its own timeout hold for its questions; a
   * cancel, a timeout or too many tries there end the whole.
   */
  enter<I>(conversation: Conversation<I>, ...input: I extends void ? [] : [I]): Promise<void>
  /** Service time, the same whenever the script runs. */
  now(): Date
}
