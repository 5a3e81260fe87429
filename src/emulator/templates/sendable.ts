import type { Assumptions } from '../assumptions.ts'
import type { Template } from './templates.ts'

const SENT = ['APPROVED', 'FLAGGED', 'LOCKED']

const REASONS: ReadonlyMap<string, string> = new Map([
  ['PENDING', 'The template is still in review.'],
  ['REJECTED', 'The template was rejected in review.'],
  ['PAUSED', 'The template is paused.'],
  ['DISABLED', 'The template is disabled.'],
  ['ARCHIVED', 'The template is archived.'],
])

/** Why a send of this template would be refused now, in plain words; null when it is sent (SEND-15, TPL-04). */
export function unsendableReason(
  template: Pick<Template, 'status'>,
  assumptions: Pick<Assumptions, 'unknownTemplateState' | 'pendingTemplate'>,
): string | null {
  if (SENT.includes(template.status)) return null
  if (template.status === 'PENDING' && assumptions.pendingTemplate === 'send') return null
  const reason = REASONS.get(template.status)
  if (reason !== undefined) return reason
  return assumptions.unknownTemplateState === 'send' ? null : `The template is in the state ${template.status}.`
}
