import type { PayloadAlarm, PayloadContext, Shape, View } from './facts.ts'
import { readContent } from './content.ts'
import { readCustomer, readMessageIds, readNumberId } from './ids.ts'
import type { JsonObject, Parse } from './json.ts'
import type { EventLock } from './lock.ts'
import { readMapped } from './mapping.ts'
import { noteMissing } from './missing.ts'
import type { FoundView } from './plan.ts'
import { alarm, type Findings } from './readings.ts'
import { readFailure, readStatus, readTemplate, readTime } from './status.ts'

/** The context of a reading: the delivery's, with the lock of its event. */
export interface ReadContext extends PayloadContext {
  readonly lock?: EventLock | undefined
}

/** The part of a body that all its messages share. */
export interface OfBody {
  readonly context: ReadContext
  readonly alarms: readonly PayloadAlarm[]
  readonly shape: () => Shape
  /** The body was read by a plan. */
  readonly isPlanned: boolean
}

/** Reads the facts of one message: those that the app maps, those that are locked, and for the rest guesses. */
export function readView(
  found: FoundView,
  values: readonly unknown[],
  body: JsonObject,
  { context, alarms: shared, shape, isPlanned }: OfBody,
  parse: Parse,
): View {
  const { isMessage, hasEnvelope } = found
  const narrowed = context.lock?.narrow(found, values, shape, isPlanned)
  const hits = narrowed?.hits ?? found.hits
  const findings: Findings = {
    context,
    hits,
    values,
    isMessage,
    hasEnvelope,
    facts: {},
    alarms: shared.length > 0 ? [...shared] : [],
  }
  const { facts, alarms } = findings
  let own: View['own']
  if (context.mapping) own = readMappedAndGuess(findings, body, parse)
  else guess(findings, undefined)
  const broken = narrowed && context.lock?.settle(findings, narrowed)
  if (broken) return { facts, ...(own && { own }), alarms, broken }
  noteMissing(findings, facts)
  return own ? { facts, own, alarms } : { facts, alarms }
}

/** Reads all facts at the places where services put them. */
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
 * Reads what the app maps, guesses the facts that it does not map, and gives the app's own facts; the guess of a mapped
 * fact raises no alarm either.
 */
function readMappedAndGuess(findings: Findings, body: JsonObject, parse: Parse): View['own'] {
  const mapped = readMapped(findings, body, parse)
  const names = Object.keys(findings.context.mapping ?? {})
  const guessed: Findings = { ...findings, facts: {}, alarms: [] }
  guess(guessed, mapped.facts.status?.value)
  for (const { code, fact, path } of guessed.alarms)
    if (!names.includes(factOf(fact))) alarm(findings, code, fact, path)
  const unmapped = Object.entries(guessed.facts).filter(([name]) => !names.includes(name))
  Object.assign(findings.facts, Object.fromEntries(unmapped), mapped.facts)
  return mapped.own
}

/** `media` for `media.durationMs`. */
function factOf(name: string | undefined): string {
  return name?.split('.')[0] ?? ''
}
