import { INBOUND_KINDS } from '../contract/index.ts'
import type { Facts, PayloadAlarm, PayloadContext, View } from './facts.ts'
import { isMappedByPath, readMapped } from './mapping.ts'
import { alarm, type Findings } from './readings.ts'
import { type Collected } from './collect.ts'
import { isMediaKind, readContent } from './content.ts'
import { readCustomer, readMessageIds, readNumberId } from './ids.ts'
import type { JsonObject, Parse } from './json.ts'
import type { Located } from './locate.ts'
import { readFailure, readStatus, readTemplate, readTime } from './status.ts'

export function readView(
  { node, isMessage }: Located,
  { hits }: Collected,
  body: JsonObject,
  of: { readonly context: PayloadContext; readonly shared: readonly PayloadAlarm[]; readonly parse: Parse },
): View {
  const { context, shared, parse } = of
  const hasEnvelope = node.parent !== undefined
  const findings: Findings = { context, hits, isMessage, hasEnvelope, facts: {}, alarms: [...shared] }
  const { facts, alarms } = findings
  if (!context.mapping) {
    guess(findings, undefined)
    noteMissing(findings, facts)
    return { facts, alarms }
  }
  const { own, lost = lostContent(findings) } = readMappedAndGuess(findings, body, parse)
  noteMissing(findings, facts)
  return { facts, ...(own && { own }), ...(lost && MESSAGE_EVENTS.has(context.event) && { lost }), alarms }
}

function guess(findings: Findings, mappedStatus: string | undefined): void {
  const { facts, context } = findings
  const status = readStatus(findings)
  const statusName = mappedStatus ?? status?.value
  readCustomer(findings)
  readNumberId(findings)
  readMessageIds(findings)
  readContent(findings)
  if (status) facts.status = status
  readFailure(findings, statusName)
  readTemplate(findings)
  readTime(findings, context.event === 'message.status' ? (statusName ?? '') : undefined)
}

/**
 * Reads what the app maps, guesses the facts that it does not map, and gives the app's own facts. The guess of a mapped
 * fact raises no alarm either.
 */
function readMappedAndGuess(findings: Findings, body: JsonObject, parse: Parse): ReturnType<typeof readMapped> {
  const mapped = readMapped(findings, body, parse)
  const names = new Set(Object.keys(findings.context.mapping ?? {}).map(factOf))
  const guessed: Findings = { ...findings, facts: {}, alarms: [] }
  guess(guessed, mapped.facts.status?.value)
  for (const { code, fact, path } of guessed.alarms) if (!names.has(factOf(fact))) alarm(findings, code, fact, path)
  const unmapped = Object.entries(guessed.facts).filter(([name]) => !names.has(name))
  Object.assign(findings.facts, Object.fromEntries(unmapped), completed(mapped.facts, guessed.facts))
  return mapped
}

/** `media` for `media.durationMs`. */
function factOf(name: string | undefined): string {
  return name?.split('.')[0] ?? ''
}

/** If only a file's address or an option's id is mapped, what was guessed beside the same one is added to it. */
function completed(mapped: Facts, guessed: Facts): Facts {
  const { media, tapped, kind = guessed.kind } = mapped
  const file = media && {
    ...(guessed.media?.value.url === media.value.url && guessed.media.value),
    ...media.value,
    ...(media.value.kind === 'document' && kind && isMediaKind(kind.value) && { kind: kind.value }),
  }
  const option = tapped && {
    ...tapped.value,
    title:
      tapped.value.title ?? (guessed.tapped?.value.id === tapped.value.id ? guessed.tapped.value.title : undefined),
  }
  return {
    ...mapped,
    ...(media && file && { media: { ...media, value: file } }),
    ...(tapped && option && { tapped: { ...tapped, value: option } }),
  }
}

const MESSAGE_EVENTS: ReadonlySet<string> = new Set(['message.received', 'message.status'])

function noteMissing(findings: Findings, facts: Facts): void {
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
function lostContent({ context, facts }: Findings): 'text' | 'media' | 'tapped' | undefined {
  const fact = CONTENT_OF_KINDS.get(facts.kind?.value ?? '')
  const isLost = fact !== undefined && !facts[fact] && context.event === 'message.received'
  return isLost && isMappedByPath(context.mapping ?? {}, fact) ? fact : undefined
}
