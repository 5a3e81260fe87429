import { type Duration, toMs } from '../base/duration.ts'
import { optionsInvalid, type SwitchhookError } from '../base/errors.ts'
import type { Chat } from './chat.ts'
import type { Conversation, CustomerContext, Env } from './context.ts'
import { compileWords, fold, type Word } from './pattern.ts'

/**
 * How a conversation ends before its script does. `failed`: its script, or a step of it, was given up as a dead letter,
 * or parked. `changed`: its script is another one by now.
 */
export type EndReason = 'cancelled' | 'timeout' | 'too_many_tries' | 'changed' | 'failed'

export interface ConversationOptions<E extends Env> {
  /**
   * Raise it if the script changes so that it could not go on from its journal: if questions come, go or mean something
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
   * (default): its script begins anew with the same input. `end`: it ends, and `onEnd` tells the customer; without `onEnd`
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
  throw optionsInvalid('enter(): expected a conversation, as bot.conversation(…) makes it')
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
