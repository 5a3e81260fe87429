import { sharedMap } from '../../base/shared.ts'
import { type Duration, toMs } from '../../base/duration.ts'
import { optionsInvalid } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import type { Out, Schema } from '../../bot/standard-schema.ts'
import {
  aFunction,
  checkMembers,
  type Checks,
  countFromOne,
  expecting,
  oneOf,
  positiveDuration,
  text,
} from '../../bot/option-checks.ts'
import type { Choice, Content, Template } from '../../service/content.ts'
import { INBOUND_MEDIA_KINDS, type InboundMediaKind } from '../../service/message-kinds.ts'
import type { Long, ScheduleOptions } from '../../bot/outbox/send-options.ts'
import type { CustomerContext, Env, MediaFact } from '../../bot/routes/context.ts'
import type { EnteredRoute } from '../../bot/routes/entered.ts'
import { compileWords, fold, type Word } from '../../bot/routes/pattern.ts'
import type { Conversation } from './entering.ts'

/** Why a conversation ended before its script did. `failed`: an item that ran it became dead, or was parked. */
export type EndReason = 'cancelled' | 'timeout' | 'too_many_tries' | 'changed' | 'failed'

/** Members of a bot and of `routes()`. */
export interface Converses<E extends Env> {
  /**
   * Registers a conversation: one function, the script, that asks several questions and survives restarts. The
   * customer's answers go to the script, not to the routes.
   *
   *     const booking = bot.conversation('booking', { version: 1, timeout: '30m' }, async (chat) => {
   *       const day = await chat.ask('Which day?')
   *       await chat.say(`See you on ${day}`)
   *     })
   *
   * The script runs again from the top on every answer: see `Chat`. Middleware in front of `conversation` runs for
   * answers too.
   *
   * @param name its name in the database, so do not change it. @throws SwitchhookError `options_invalid`
   */
  conversation<I = void>(
    name: string,
    o: ConversationOptions<E>,
    script: (chat: Chat<E>, input: I) => Promise<unknown>,
  ): Conversation<I>
}

export interface ConversationOptions<E extends Env> {
  /**
   * Increase it if you add or remove questions, or change their meaning. You may reword texts at any time. A process
   * with a lower version leaves conversations of a higher version to other processes.
   */
  version: number
  /** How long each question stays open. */
  timeout: Duration
  /** Whole texts that end the conversation, compared like the words of `hears`. */
  cancelWords?: readonly string[]
  /** Texts that go to the routes while the question stays open. Words match whole texts. */
  passThrough?: readonly Word[]
  /**
   * What happens to an open conversation whose script has changed. `restart` (default): it starts again with the same
   * input. `end`: it ends and calls `onEnd`. `routes`, or `end` without `onEnd`: it ends, and the routes get the
   * message.
   */
  onChanged?: 'restart' | 'end' | 'routes'
  /** Called once when the conversation ends for an `EndReason`. Not called when the script has changed, unless `onChanged` is `end`. */
  onEnd?: (ctx: CustomerContext<E>, why: EndReason) => unknown
}

export type Script<I> = (chat: Chat<Env>, input: I) => Promise<unknown>

export interface ConversationDefinition extends EnteredRoute {
  readonly version: number
  readonly timeoutMs: number
  readonly onChanged: 'restart' | 'end' | 'routes'
  readonly onEnd: ((ctx: CustomerContext<Env>, why: EndReason) => unknown) | undefined
  readonly script: Script<unknown>
  isCancelWord(text: string): boolean
  passesThrough(text: string): boolean
}

const definitions = sharedMap<object, ConversationDefinition>('conversations')

/** @throws SwitchhookError `options_invalid` */
export function defineConversation<I>(
  name: string,
  options: ConversationOptions<never>,
  script: Script<I>,
): { readonly made: Conversation<I>; readonly definition: ConversationDefinition } {
  text(name, 'conversation(): name')
  aFunction(script, `conversation "${name}": script`)
  const definition: ConversationDefinition = {
    kind: 'conversation',
    name,
    script: script as Script<unknown>,
    ...checked(name, options),
  }
  const made: Conversation<I> = Object.freeze({ name })
  definitions.set(made, definition)
  return { made, definition }
}

export function routeMethods(table: { add(entry: { readonly entered: EnteredRoute }): void }) {
  return {
    conversation(name: string, o: ConversationOptions<never>, script: Script<unknown>) {
      const { made, definition } = defineConversation(name, o, script)
      table.add({ entered: definition })
      return made
    },
  }
}

/** @throws SwitchhookError `options_invalid` if the value is not from `bot.conversation()`. */
export function definitionOf(conversation: unknown): ConversationDefinition {
  const found = typeof conversation === 'object' && conversation !== null ? definitions.get(conversation) : undefined
  if (found) return found
  throw optionsInvalid('enter(): expected a conversation from bot.conversation(…)')
}

const isFilled = (word: unknown) => typeof word === 'string' && fold(word) !== ''
const isWord = (word: unknown) => word instanceof RegExp || isFilled(word)
const listOf = (fits: (word: unknown) => boolean) => (value: unknown) => Array.isArray(value) && value.every(fits)

const CHECKS: Checks<ConversationOptions<Env>> = {
  version: countFromOne,
  timeout: positiveDuration,
  cancelWords: expecting("a list of words such as ['cancel']", listOf(isFilled)),
  passThrough: expecting('a list of words and expressions such as [/help/i]', listOf(isWord)),
  onChanged: oneOf('restart', 'end', 'routes'),
  onEnd: aFunction,
}

function checked(name: string, o: ConversationOptions<never>) {
  const called = `conversation "${name}"`
  checkMembers(o, called, CHECKS)
  const { version, timeout, cancelWords = [], passThrough = [], onChanged = 'restart', onEnd } = o
  CHECKS.version(version, `${called}.version`)
  CHECKS.timeout(timeout, `${called}.timeout`)
  const cancels = compileWords(cancelWords)
  const passes = compileWords(passThrough)
  return {
    version,
    timeoutMs: Math.ceil(toMs(timeout)),
    onChanged,
    onEnd: onEnd as ConversationDefinition['onEnd'],
    words: cancels.plain,
    wordsOption: 'cancelWords',
    isCancelWord: (text: string) => cancels.hears(text) !== undefined,
    passesThrough: (text: string) => passThrough.length > 0 && passes.hears(text) !== undefined,
  }
}

export interface SayOptions {
  /** The template that is sent instead if the 24-hour window is closed. */
  outsideWindow?: Template
  /** `split`: a text that is too long goes out as several messages. Default: the bot's option `long`. */
  long?: Long
}

export interface AskOptions extends SayOptions {
  /** Sent after an answer that does not fit. Default: the question again. */
  invalid?: Content
  /** After so many answers that do not fit, the conversation ends as `too_many_tries`. Default: no limit. */
  tries?: number
  /** Sends `content` once if the question is still open `after` this time; `outsideWindow` if the window is closed. */
  remind?: { after: Duration; content: Content; outsideWindow?: Template }
}

type TakesText<S> = S extends { '~standard': { types?: { input: infer I } | undefined } }
  ? string extends I
    ? unknown
    : [Extract<I, string>] extends [never]
      ? 'this schema accepts no text, but an answer is a text: use for example z.coerce.number()'
      : unknown
  : unknown

/** An answer that is not a text: see `media`. */
export interface Answer<A> {
  /** No value has this member. It only tells TypeScript the type of the answer. */
  readonly answer: A
}

export interface MediaAnswer {
  readonly kind: 'media'
  readonly of: InboundMediaKind
  readonly max: number
  readonly skip: readonly string[]
}

const MEDIA_CHECKS = { max: countFromOne, skip: expecting("a list of words such as ['no']", listOf(isFilled)) }

/**
 * Accepts media as an answer. All media of one bundle are one answer.
 *
 *     const photos = await chat.ask('Photos, or NO', { as: media('image', { max: 3, skip: ['no'] }) })
 *
 * @param o.max how many media of one answer are used. Default 1.
 * @param o.skip words that the customer may write instead of media. The answer is then `[]`.
 * @throws SwitchhookError `options_invalid`
 */
export function media(kind: InboundMediaKind, o: { max?: number; skip?: readonly string[] } = {}): Answer<MediaFact[]> {
  oneOf(...INBOUND_MEDIA_KINDS)(kind, 'media(): kind')
  checkMembers(o, 'media()', MEDIA_CHECKS)
  const { max = 1, skip = [] } = o
  const answer: MediaAnswer = { kind: 'media', of: kind, max, skip: [...skip] }
  return Object.freeze(answer) as unknown as Answer<MediaFact[]>
}

type AnswerTo<C> = C extends Choice<infer Id> ? Id : string

/**
 * The methods of a script. The script runs again from the top on every answer, and each earlier step returns its stored
 * result. So use `chat` for everything that may differ between runs: read the time with `now`, and call other code in
 * `once`. Each step waits for the previous one. If a step fails, the attempt fails and is retried like a handler. The
 * script does not get the error.
 */
// oxlint-disable-next-line typescript/no-explicit-any -- a helper may accept the chat of any bot
export interface Chat<E extends Env = any> {
  readonly customer: string
  readonly number: E['number']
  /** The customer's session at this step. A script cannot change it. */
  readonly session: Readonly<E['session']>
  /** Writes nothing while the script repeats earlier steps. */
  readonly log: Log
  say(content: Content, o?: SayOptions): Promise<void>
  /**
   * Schedules a message. It is sent even if the conversation ends before. `bot.cancel(key)` cancels it.
   *
   *     await chat.send(reminder, { key: ['visit', visit.id], at: dayBefore(visit) })
   */
  send(content: Content | Template, o: ScheduleOptions): Promise<void>
  /**
   * Asks a question and waits for the answer, if necessary for days. If the question has buttons or a list, the answer
   * is the id of an option, which the customer taps or writes. Otherwise it is a text. With `as` it is media, or the
   * output of a schema that accepts a text: use `z.coerce.number()`, not `z.number()`. All texts of one bundle are one
   * answer, on separate lines.
   */
  // oxlint-disable-next-line typescript/no-explicit-any -- accepts the schemas of any library
  ask<S extends Schema<any, any>>(content: Content, o: AskOptions & { as: S & TakesText<S> }): Promise<Out<S>>
  ask<A>(content: Content, o: AskOptions & { as: Answer<A> }): Promise<A>
  ask<const C extends Content>(content: C, o?: AskOptions): Promise<AnswerTo<C>>
  /**
   * Runs a function and stores its result as JSON, so do not return secrets. Later runs of the script get the stored
   * result. After a crash inside the function, the next attempt calls it again. If it throws, the attempt fails, so
   * return what the script must know about a failure. The function may use `now` and `session`, and no other step.
   */
  once<T>(name: string, effect: () => T | Promise<T>): Promise<T>
  /** Waits for this span. Meanwhile the customer's messages go to the routes. */
  sleep(span: Duration): Promise<void>
  sleepUntil(at: Date): Promise<void>
  /** Runs another conversation inside this one. The other one's cancel words and timeout apply, and end both. */
  enter<I>(conversation: Conversation<I>, ...input: I extends void ? [] : [I]): Promise<void>
  /** Returns the service time. Later runs of the script get the same time. */
  now(): Date
}
