import { toMs } from '../../base/duration.ts'
import { isSchema, type Schema, validate } from '../../bot/standard-schema.ts'
import { optionsInvalid } from '../../base/errors.ts'
import { type Checks, checkMembers, countFromOne, expecting } from '../../bot/option-checks.ts'
import { type Long, long, outsideWindow } from '../../bot/outbox/send-options.ts'
import type { Content, Template } from '../../service/content.ts'
import { optionsOf } from '../../service/interactive.ts'
import type { AskOptions, MediaAnswer } from './conversation.ts'
import { isDeepStrictEqual } from 'node:util'
import { withoutSignature } from '../../service/tap-id.ts'
import { bare, fold } from '../../bot/routes/pattern.ts'
import type { MediaFact, Message } from '../../bot/routes/context.ts'

export interface Question {
  readonly content: Content
  /** The kind of the answer. If a stored step has another kind, the script has changed. */
  readonly name: string
  readonly options: ReturnType<typeof optionsOf>
  readonly schema: Schema | undefined
  readonly media: MediaAnswer | undefined
  readonly invalid: Content
  readonly tries: number
  readonly outsideWindow: Template | undefined
  readonly long: Long | undefined
  readonly remind: ReturnType<typeof reminderOf> | undefined
}

/** The stored result of an open question that was not sent. No message can answer it. */
export const UNASKED = JSON.stringify({ tries: 0, unasked: true })

type Given = AskOptions & { readonly as?: unknown }

const CHECKS: Checks<Given> = {
  as: expecting("a schema such as z.iso.date(), or media('image')", (value) => isSchema(value) || isMedia(value)),
  invalid: () => {},
  tries: countFromOne,
  outsideWindow,
  long,
  remind: () => {},
}

/** @throws SwitchhookError `options_invalid` */
export function questionOf(content: Content, given: Given, timeoutMs: number): Question {
  checkMembers(given, 'chat.ask()', CHECKS)
  const { as, invalid = content, tries = Infinity, outsideWindow, long } = given
  const schema = isSchema(as) ? as : undefined
  const media = isMedia(as) ? as : undefined
  const options = optionsOf(content)
  const name = media ? media.of : schema ? 'schema' : options ? 'choice' : 'text'
  const remind = given.remind && reminderOf(given.remind, timeoutMs)
  return { content, name, options, schema, media, invalid, tries, outsideWindow, long, remind }
}

function reminderOf(given: NonNullable<AskOptions['remind']>, timeoutMs: number) {
  const { after, content, outsideWindow } = given
  const afterMs = Math.ceil(toMs(after, 'chat.ask(): remind.after'))
  if (afterMs <= 0 || afterMs >= timeoutMs)
    throw optionsInvalid("chat.ask().remind.after: expected a span above zero and below the conversation's timeout")
  if (content === undefined) throw optionsInvalid('chat.ask().remind.content: expected the text of the reminder')
  return { afterMs, content, outsideWindow }
}

function isMedia(as: unknown): as is MediaAnswer {
  return typeof as === 'object' && as !== null && 'kind' in as && as.kind === 'media'
}

/** `invalid`: an answer that does not fit. `elsewhere`: not an answer to this question, so the routes get it. */
type Answering =
  | { readonly as: 'answer'; readonly result: string }
  | { readonly as: 'invalid' }
  | { readonly as: 'elsewhere' }

/**
 * Finds the answer in the messages of a bundle, oldest first. Their texts together are one answer. If the question has
 * options and the whole text fits none, the last message that fits an option counts.
 */
export async function answerTo(question: Question, messages: readonly Message[]): Promise<Answering> {
  const { options, schema, media } = question
  if (media) return mediaAnswer(media, messages)
  const tapped = messages.at(-1)?.tapped
  const text = textOf(messages)
  const given = tapped ? [tapped.id] : givenIn(text, messages)
  const chosen = options && firstOf(given, (one) => chosenOf(options, one))
  // The tapped option is none of this question's, so the tap belongs to another message, and the routes get it.
  if (tapped && chosen === undefined) return { as: 'elsewhere' }
  if ((chosen ?? text) === undefined) return { as: 'invalid' }
  if (schema) return schemaAnswer(schema, chosen === undefined ? given : [chosen])
  if (options && chosen === undefined) return { as: 'invalid' }
  return { as: 'answer', result: JSON.stringify({ value: chosen ?? text }) }
}

/** Returns the texts to try as an answer: first the joined text, then the text of each message, newest first. */
function givenIn(text: string | undefined, messages: readonly Message[]): readonly string[] {
  if (text === undefined || messages.length === 1) return text === undefined ? [] : [text]
  return [text, ...messages.flatMap((one) => one.text?.trim() || []).toReversed()]
}

function firstOf<T>(given: readonly string[], found: (one: string) => T | undefined): T | undefined {
  for (const one of given) {
    const it = found(one)
    if (it !== undefined) return it
  }
  return undefined
}

/** Reads the stored answer. Returns undefined if the question's schema no longer accepts it. */
export async function readAnswer(
  { schema }: Pick<Question, 'schema'>,
  result: string,
): Promise<{ readonly value: unknown } | undefined> {
  const kept = JSON.parse(result) as { readonly value?: unknown } | { readonly text: string }
  if (!('text' in kept)) return { value: kept.value }
  const made = schema && (await validate(schema, kept.text))
  return made && 'value' in made ? made : undefined
}

/** Joins the texts of a customer's messages by newlines; undefined if there are none. */
function textOf(messages: readonly Message[]): string | undefined {
  const texts = messages.flatMap(({ text }) => text?.trim() || [])
  return texts.length === 0 ? undefined : texts.join('\n')
}

const KEYCAPS = /^(?:[\d#*]\ufe0f?\u20e3\s*)+/u

/** Finds the option that was tapped, or whose id or title was written. */
function chosenOf(options: NonNullable<Question['options']>, given: string): string | undefined {
  // A tapped id may contain a signature. It needs no check here, because the question shows this option now.
  const exact = options.find(({ id }) => id === withoutSignature(given))
  if (exact) return exact.id
  const folded = fold(given)
  const found = options.find(({ id, title }) => fold(title) === folded || fold(id) === folded)
  if (found) return found.id
  const word = bare(given)
  const alike = options.filter(({ id, title }) =>
    [title, title.replace(KEYCAPS, ''), id].some((one) => bare(one) === word),
  )
  // If two options differ only in punctuation or emoji, a text without these chooses neither.
  return alike.length === 1 ? alike[0]?.id : undefined
}

async function schemaAnswer(schema: Schema, given: readonly string[]): Promise<Answering> {
  const [text = '', ...others] = given
  const values = valuesOf(schema)?.map((value) => ({ id: value, title: value }))
  const fits = await fitting(schema, text)
  if (fits || !values) return fits ?? { as: 'invalid' }
  const chosen = firstOf([text, ...others], (one) => chosenOf(values, one))
  return (chosen === undefined ? undefined : await fitting(schema, chosen)) ?? { as: 'invalid' }
}

async function fitting(schema: Schema, text: string): Promise<Answering | undefined> {
  const made = await validate(schema, text)
  if ('problem' in made) return undefined
  const { value } = made
  // JSON would change some outputs, such as a date. Then store the text: `readAnswer` makes the output of it again.
  const kept = isJson(value) ? { value } : { text }
  return { as: 'answer', result: JSON.stringify(kept) }
}

/** Returns the texts that a schema of zod or valibot lists, such as `z.enum`. Undefined for any other schema. */
function valuesOf(schema: object): readonly string[] | undefined {
  const { options, values, literal, _def: def, wrapped } = schema as Record<string, unknown>
  const listed = values instanceof Set ? [...(values as Set<unknown>)] : (options ?? literal)
  if (listed !== undefined) {
    const each = [listed].flat().map((one) => (typeof one === 'string' ? [one] : isObject(one) && valuesOf(one)))
    return each.every(Array.isArray) ? each.flat() : undefined
  }
  const { innerType, in: from, out: to } = (def ?? {}) as Record<string, unknown>
  return [innerType, wrapped, from, to]
    .filter(isObject)
    .reduce<readonly string[] | undefined>((found, next) => found ?? valuesOf(next), undefined)
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function isJson(value: unknown): boolean {
  if (value === undefined) return true
  try {
    const json = JSON.stringify(value)
    return json !== undefined && isDeepStrictEqual(JSON.parse(json), value)
  } catch {
    return false
  }
}

function mediaAnswer({ of, max, skip }: NonNullable<Question['media']>, messages: readonly Message[]): Answering {
  const found: MediaFact[] = messages.flatMap(({ media }) => (media?.kind === of ? media : []))
  if (found.length > 0) return { as: 'answer', result: JSON.stringify({ value: found.slice(0, max) }) }
  const text = textOf(messages)
  const words = text === undefined ? [messages.at(-1)?.tapped?.title ?? ''] : givenIn(text, messages)
  if (words.some((word) => skip.some((one) => bare(one) === bare(word))))
    return { as: 'answer', result: JSON.stringify({ value: [] }) }
  return messages.at(-1)?.tapped ? { as: 'elsewhere' } : { as: 'invalid' }
}
