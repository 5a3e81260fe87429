import { type Evidence, firstOf, reading } from './evidence.ts'
import type { Facts, TemplateChange } from './facts.ts'
import { hitsOf } from './gather.ts'
import { isEventName } from './likeness.ts'
import { idOf, textOf, wordOf } from './values.ts'

/** Which template changed, and how. */
export function readTemplate(evidence: Evidence): Pick<Facts, 'template'> {
  const ids = hitsOf(evidence.hits, 'templateId')
  // Of a body without an envelope the bare `id` is the event's.
  const idHit = ids.find(({ candidate, value }) => idOf(value) && (candidate.path !== 'id' || evidence.hasEnvelope))
  const nameHit = firstOf(evidence, 'templateName', textOf)
  const path = idHit?.path ?? nameHit?.path
  if (path === undefined) return {}
  const change: { [K in keyof TemplateChange]: TemplateChange[K] | undefined } = {
    id: idOf(idHit?.value),
    name: nameHit?.value,
    language: firstOf(evidence, 'templateLanguage', textOf)?.value,
    status: firstOf(evidence, 'templateStatus', stateOf)?.value,
    previousStatus: firstOf(evidence, 'previousStatus', stateOf)?.value,
    reason: firstOf(evidence, 'templateReason', textOf)?.value,
    category: firstOf(evidence, 'category', textOf)?.value,
  }
  return { template: reading(withoutGaps(change), path, true) }
}

function stateOf(value: unknown): string | undefined {
  return isEventName(value) ? undefined : wordOf(value)
}

function withoutGaps(change: Record<string, string | undefined>): TemplateChange {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
}
