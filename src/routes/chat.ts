import type { Duration } from '../base/duration.ts'
import { optionsInvalid } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import type { Out, Schema } from '../base/schema.ts'
import type { Choice, Content, Template } from '../content/index.ts'
import type { InboundMediaKind } from '../contract/index.ts'
import type { Conversation, Env, MediaFact } from './context.ts'

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

/** An answer that is no text: see `media`. */
export interface Answer<A> {
  /** For types alone. */
  readonly answer: A
}

/** The answer that `media` asks for, as the runner of scripts reads it. */
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
 * Unless `NODE_ENV` is `production`, a script runs once more over its journal after each run, without effects, and an
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
   * An answer that is no JSON, such as a date, is made anew by its schema whenever the script runs.
   */
  // oxlint-disable-next-line typescript/no-explicit-any -- any library's schema
  ask<S extends Schema<any, any>>(content: Content, o: AskOptions & { as: S }): Promise<Out<S>>
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
