import { SwitchhookError } from '../base/errors.ts'
import type { SendRequest } from '../contract/index.ts'
import { kindOf } from './check.ts'
import type { Built, Content, Template, Wire } from './content.ts'
import { recipient } from './recipient.ts'
import { textOf } from './text.ts'

/**
 * The body of a send, in the service's spelling and always with `type` (SEND-02). Throws `content_invalid` where a
 * limit is passed or the recipient is no phone number.
 */
export function wireOf(content: Content | Template, to: string): SendRequest {
  return { to: recipient(to), ...wireIn(content) }
}

/**
 * The exact bytes of a send, as a JSON string: serialised once, and the same at each attempt, since a service that
 * compares bodies under a key may compare bytes (IDEM-07). The same content has the same bytes in every process.
 */
export function encodeSend(content: Content | Template, to: string): string {
  return JSON.stringify(wireOf(content, to))
}

function wireIn(content: Content | Template): Wire {
  if (typeof content === 'string') return textOf(content, 'a text').wire
  const wire = (content as Partial<Built<Template>> | null | undefined)?.wire
  if (wire !== undefined) return wire
  throw new SwitchhookError(
    'content_invalid',
    `a content must be a string, or made by text(), buttons(), list(), link(), image(), video(), document(), audio() or template(), got ${kindOf(content)}`,
  )
}
