import { toMs } from '../../base/duration.ts'
import { isSchema, type Schema } from '../standard-schema.ts'
import { optionsInvalid, type SwitchhookError } from '../../base/errors.ts'
import type { Content, Template } from '../../service/content.ts'
import { optionsOf } from '../../service/interactive.ts'
import type { AskOptions, MediaAnswer } from '../routes/conversation.ts'

export interface Question {
  readonly content: Content
  /** The kind of its answer, by which the journal distinguishes questions. */
  readonly name: string
  /** The options of buttons or of a list: the answer is one of them. */
  readonly options: readonly { readonly id: string; readonly title: string }[] | undefined
  readonly schema: Schema | undefined
  readonly media: MediaAnswer | undefined
  /** Sent after an answer that does not fit. */
  readonly invalid: Content
  readonly tries: number
  readonly outsideWindow: Template | undefined
  readonly remind: Reminder | undefined
}

export interface Reminder {
  readonly afterMs: number
  readonly content: Content
  readonly outsideWindow: Template | undefined
}

/** The journal's mark of an open question that the customer did not receive, so no message can answer it. */
export const UNASKED = JSON.stringify({ tries: 0, unasked: true })

type Given = AskOptions & { readonly as?: unknown }

const KNOWN: readonly string[] = ['as', 'invalid', 'tries', 'outsideWindow', 'remind'] satisfies (keyof Given)[]

/** @throws SwitchhookError `options_invalid` */
export function questionOf(content: Content, given: Given, timeoutMs: number): Question {
  const unknown = Object.keys(given).find((option) => !KNOWN.includes(option))
  if (unknown !== undefined) throw refuse(`the option "${unknown}" does not exist; the options are ${KNOWN.join(', ')}`)
  const { as, invalid = content, tries = Infinity, outsideWindow } = given
  if (tries !== Infinity && (!Number.isInteger(tries) || tries < 1))
    throw refuse('tries: expected a whole number from 1 on')
  const schema = isSchema(as) ? as : undefined
  const media = isMedia(as) ? as : undefined
  if (as !== undefined && !schema && !media)
    throw refuse("as: expected a schema such as z.iso.date(), or media('image')")
  const options = optionsOf(content)
  const name = media ? media.of : schema ? 'schema' : options ? 'choice' : 'text'
  const remind = given.remind && reminderOf(given.remind, timeoutMs)
  return { content, name, options, schema, media, invalid, tries, outsideWindow, remind }
}

function reminderOf(given: NonNullable<AskOptions['remind']>, timeoutMs: number): Reminder {
  const { after, content, outsideWindow } = given
  const afterMs = Math.ceil(toMs(after, 'chat.ask(): remind.after'))
  if (afterMs <= 0 || afterMs >= timeoutMs)
    throw refuse("remind.after: expected a span above zero and below the conversation's timeout")
  if (content === undefined) throw refuse('remind.content: expected the text of the reminder')
  return { afterMs, content, outsideWindow }
}

function isMedia(as: unknown): as is MediaAnswer {
  return typeof as === 'object' && as !== null && 'kind' in as && as.kind === 'media'
}

function refuse(why: string): SwitchhookError {
  return optionsInvalid(`chat.ask(): ${why}`)
}
