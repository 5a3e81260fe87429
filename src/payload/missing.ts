import { INBOUND_KINDS } from '../contract/index.ts'
import type { Facts } from './facts.ts'
import { isMappedByPath } from './mapping.ts'
import { alarm, type Findings } from './readings.ts'

export const MESSAGE_EVENTS: ReadonlySet<string> = new Set(['message.received', 'message.status'])

export function noteMissing(findings: Findings, facts: Facts): void {
  const { event } = findings.context
  if (!facts.customer && facts.userId) alarm(findings, 'customer_number_hidden', 'customer', facts.userId.path)
  if (!MESSAGE_EVENTS.has(event)) return
  if (!facts.customer && !facts.userId) alarm(findings, 'fact_missing', 'customer')
  if (!facts.messageId && !facts.upstreamId) alarm(findings, 'fact_missing', 'messageId')
  if (!facts.at) alarm(findings, 'fact_missing', 'at')
  if (event === 'message.status' && !facts.status) alarm(findings, 'fact_missing', 'status')
  if (event === 'message.received') noteMissingContent(findings, facts)
}

const CONTENT_FACTS = { text: 'text', media: 'media', tap: 'tapped' } as const

const CONTENT_OF_KINDS: ReadonlyMap<string, (typeof CONTENT_FACTS)[keyof typeof CONTENT_FACTS]> = new Map(
  Object.entries(INBOUND_KINDS).map(([kind, content]) => [kind, CONTENT_FACTS[content]]),
)

/** A message without what its kind promises was not understood: no route hears it. */
function noteMissingContent(findings: Findings, facts: Facts): void {
  if (!facts.kind) return alarm(findings, 'fact_missing', 'kind')
  const fact = CONTENT_OF_KINDS.get(facts.kind.value)
  if (fact !== undefined && !facts[fact]) alarm(findings, 'fact_missing', fact)
}

/** The content that the kind of a message promises, if the app maps it by a path and nothing is there. */
export function lostContent({ context, facts }: Findings): 'text' | 'media' | 'tapped' | undefined {
  const fact = CONTENT_OF_KINDS.get(facts.kind?.value ?? '')
  const isLost = fact !== undefined && !facts[fact] && context.event === 'message.received'
  return isLost && isMappedByPath(context.mapping ?? {}, fact) ? fact : undefined
}
