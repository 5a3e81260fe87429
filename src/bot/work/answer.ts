import { isDeepStrictEqual } from 'node:util'
import { optionsInvalid } from '../../base/errors.ts'
import { validate } from '../standard-schema.ts'
import { withoutSignature } from '../../service/tap-id.ts'
import { fold } from '../routes/pattern.ts'
import type { MediaFact, Message } from '../routes/context.ts'
import type { Question } from './question.ts'

/**
 * What a customer's messages mean for an open question. `answer`: the journal stores `result`. `invalid`: an answer
 * that does not fit. `elsewhere`: not an answer to this question, so the routes get it.
 */
export type Answering =
  | { readonly as: 'answer'; readonly result: string }
  | { readonly as: 'invalid' }
  | { readonly as: 'elsewhere' }

/** Several messages are a burst, oldest first, and count as one answer. */
export async function answerTo(question: Question, messages: readonly Message[]): Promise<Answering> {
  const { options, schema, media } = question
  if (media) return mediaAnswer(media, messages)
  const tapped = messages.at(-1)?.tapped
  const text = textOf(messages)
  const chosen = options && chosenOf(options, tapped?.id ?? text)
  // A tap on an option that is not shown now answers another question, or none.
  if (tapped && chosen === undefined) return { as: 'elsewhere' }
  const given = chosen ?? text
  if (given === undefined) return { as: 'invalid' }
  if (schema) return schemaAnswer(schema, given)
  if (options && chosen === undefined) return { as: 'invalid' }
  return { as: 'answer', result: JSON.stringify({ value: given }) }
}

/** The answer in the journal; undefined if its schema no longer accepts it. */
export async function readAnswer(
  { schema }: Pick<Question, 'schema'>,
  result: string,
): Promise<{ readonly value: unknown } | undefined> {
  const kept = JSON.parse(result) as { readonly value?: unknown } | { readonly text: string }
  if (!('text' in kept)) return { value: kept.value }
  const made = schema && (await validate(schema, kept.text))
  return made && 'value' in made ? made : undefined
}

/** The texts of a customer's messages, on separate lines; undefined if there are none. */
function textOf(messages: readonly Message[]): string | undefined {
  const texts = messages.flatMap(({ text }) => text?.trim() || [])
  return texts.length === 0 ? undefined : texts.join('\n')
}

/** An option that was tapped, or whose id or title was written. */
function chosenOf(options: NonNullable<Question['options']>, given: string | undefined): string | undefined {
  if (given === undefined) return undefined
  // An option of `tap()` is signed when it comes back. It is shown now, so no further check is needed.
  const exact = options.find(({ id }) => id === withoutSignature(given))
  if (exact) return exact.id
  const folded = fold(given)
  return options.find(({ id, title }) => fold(title) === folded || fold(id) === folded)?.id
}

/** An output that JSON changes, such as a date, is stored as its original text. */
async function schemaAnswer(schema: NonNullable<Question['schema']>, text: string): Promise<Answering> {
  const made = await validate(schema, text)
  if ('problem' in made) {
    await refuseSchemaOfOthers(schema, text)
    return { as: 'invalid' }
  }
  const { value } = made
  const kept = isJson(value) ? { value } : { text }
  return { as: 'answer', result: JSON.stringify(kept) }
}

/**
 * Refuses a schema such as `z.number()`, which takes the number that a text names and not the text. Only TypeScript
 * refuses it earlier, and no answer would fit. A schema that coerces takes a number and its date alike.
 *
 * @throws SwitchhookError `options_invalid`
 */
async function refuseSchemaOfOthers(schema: NonNullable<Question['schema']>, text: string): Promise<void> {
  // The schema's own code may fail, since it expects a text.
  const takes = (value: unknown) =>
    validate(schema, value).then(
      (made) => 'value' in made,
      () => false,
    )
  const [number, date] = [Number(text), new Date(text)]
  const others = [
    ['a number', number, new Date(number), 'z.coerce.number()'],
    ['a date', date, date.getTime(), 'z.coerce.date()'],
  ] as const
  for (const [what, value, coerced, meant] of others)
    if ((await takes(value)) && !(await takes(coerced)))
      throw optionsInvalid(`chat.ask(): as: this schema takes ${what}, but an answer is a text: did you mean ${meant}?`)
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
  const word = text === undefined ? messages.at(-1)?.tapped?.title : text
  if (word !== undefined && skip.some((one) => fold(one) === fold(word)))
    return { as: 'answer', result: JSON.stringify({ value: [] }) }
  return messages.at(-1)?.tapped ? { as: 'elsewhere' } : { as: 'invalid' }
}
