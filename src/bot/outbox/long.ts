import { SwitchhookError } from '../../base/errors.ts'
import { codePoints, LIMITS } from '../../service/contract.ts'
import type { Built, Content, Freeform, Template } from '../../service/content.ts'
import { MOST_PARTS, splitText } from '../../service/long-text.ts'

/** What happens to a text of more than 4096 characters: several messages, or `content_invalid` (default). */
export type Long = 'split' | 'refuse'

/** @throws SwitchhookError `content_invalid` */
export function messagesOf(content: Content | Template, long: Long): readonly (Content | Template)[] {
  const { max } = LIMITS.text
  const text = textIn(content)
  if (text === undefined || codePoints(text) <= max) return [content]
  if (long !== 'split')
    throw tooLong(
      `must have at most ${max} characters: pass long: 'split' to send it as several messages, here or as the bot's option`,
    )
  const parts = codePoints(text) > MOST_PARTS * max ? undefined : splitText(text, max)
  if (parts === undefined || parts.length > MOST_PARTS) throw tooLong(`needs more than ${MOST_PARTS} messages`)
  // A text without a part is blank, and is refused later like any blank text.
  return parts.length === 0 ? [' '] : parts
}

function textIn(content: Content | Template): string | undefined {
  if (typeof content === 'string') return content
  const { kind, wire } = (content ?? {}) as Partial<Built<Freeform>>
  return kind === 'text' && typeof wire?.['text'] === 'string' ? wire['text'] : undefined
}

function tooLong(why: string): SwitchhookError {
  return new SwitchhookError('content_invalid', `text: ${why}`)
}
