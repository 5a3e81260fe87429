import { SwitchhookError } from '../../base/errors.ts'
import type { Built, Content, Template, Wire } from '../../service/content.ts'
import { onceOf } from '../../service/interactive.ts'
import { codeIn } from '../../service/one-time-code.ts'
import { encodeSend } from '../../service/wire.ts'

const ANYBODY = '255000000000'

/**
 * Returns a content as JSON, to be stored once for all recipients. Ids of `tap()` are not signed yet.
 *
 * @throws SwitchhookError `content_invalid` as `encodeSend`, for a one-time code (OTP-06), and for `once` buttons.
 */
export function jsonOfContent(content: Content | Template): string {
  if (codeIn(content) !== undefined)
    throw new SwitchhookError('content_invalid', 'a one-time code is for one customer, and cannot be announced')
  if (onceOf(content))
    throw new SwitchhookError('content_invalid', 'buttons with `once` cannot be announced: leave it out')
  const { to: _, ...wire } = JSON.parse(encodeSend(content, ANYBODY)) as Record<string, unknown>
  return JSON.stringify(wire)
}

export function contentIn(json: string): Content | Template {
  const wire = JSON.parse(json) as Wire
  const content: Built<Template | Exclude<Content, string>> = {
    kind: wire.type === 'template' ? 'template' : 'text',
    wire,
  }
  return content
}
