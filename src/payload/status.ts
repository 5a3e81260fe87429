import { STATUSES } from '../contract/index.ts'
import { type Hit, hitsOf, isLastResort } from './collect.ts'
import type { Facts, Reading, TemplateChange } from './facts.ts'
import { alarm, type Findings, noteUnreadable, readFirst, reading } from './readings.ts'
import { isPlausible, momentOf } from './time.ts'
import { idOf, isEventName, textOf, wordOf } from './values.ts'

const KNOWN: ReadonlySet<string> = new Set(STATUSES)

/** Reads a sent message's status, in lower case; a status that is not one of the known five is kept, with an alarm. */
export function readStatus(findings: Findings): Pick<Facts, 'status'> {
  for (const hit of hitsOf(findings.hits, 'status')) {
    const value = statusOf(hit.value)
    if (value === undefined) continue
    const known = KNOWN.has(value)
    if (isLastResort(hit) && !known) continue
    if (!known) alarm(findings, 'unknown_status', 'status', hit.path)
    return { status: reading(value, hit.path, hit.inMessage) }
  }
  return {}
}

/** Reads a status's name. A number is kept as it is: services disagree on the status that it means. */
export function statusOf(value: unknown): string | undefined {
  return typeof value === 'number' ? idOf(value) : wordOf(value)
}

/** Reads why a send failed; a mere `reason` or `description` counts only if the status is not one of success. */
export function readFailure(findings: Findings, status: string | undefined): Pick<Facts, 'failureReason'> {
  const found = readFirst(findings, 'failureReason', textOf)
  if (!found) return {}
  const succeeded = status !== undefined && status !== 'failed' && KNOWN.has(status)
  if (succeeded && isLastResort(found.hit)) return {}
  return { failureReason: reading(found.value, found.path, true) }
}

const STATUS_TIMES: ReadonlySet<string> = new Set(STATUSES.map((status) => `${status}_at`))

/**
 * Reads the payload's own time: sure if it has a zone and stands at a place of the first choice. For a status, the
 * time of that status counts, such as `delivered_at`. A time that cannot be true is taken only if there is no other.
 */
export function readTime(findings: Findings, status?: string): Pick<Facts, 'at'> {
  let implausible: Reading<number> | undefined
  for (const hit of hitsOf(findings.hits, 'at')) {
    if (status !== undefined && isOfOtherStatus(hit, status)) continue
    const moment = momentOf(hit.value)
    if (moment === undefined) {
      noteUnreadable(findings, 'at', hit)
      continue
    }
    if (!isPlausible(moment.ms, findings.context.now)) {
      alarm(findings, 'fact_assumed', 'at', hit.path)
      implausible ??= reading(moment.ms, hit.path, false)
      continue
    }
    if (!moment.zoned) alarm(findings, 'fact_assumed', 'at', hit.path)
    return { at: reading(moment.ms, hit.path, moment.zoned && hit.candidate.choice === 'first') }
  }
  return implausible ? { at: implausible } : {}
}

function isOfOtherStatus(hit: Hit, status: string): boolean {
  return STATUS_TIMES.has(hit.candidate.path) && hit.candidate.path !== `${status}_at`
}

/** Reads which template changed, and how. */
export function readTemplate(findings: Findings): Pick<Facts, 'template'> {
  const ids = hitsOf(findings.hits, 'templateId')
  // In a body without an envelope, a bare `id` is the event's.
  const idHit = ids.find(({ candidate, value }) => idOf(value) && (candidate.path !== 'id' || findings.hasEnvelope))
  const nameHit = readFirst(findings, 'templateName', textOf)
  const path = idHit?.path ?? nameHit?.path
  if (path === undefined) return {}
  const change: { [K in keyof TemplateChange]: TemplateChange[K] | undefined } = {
    id: idOf(idHit?.value),
    name: nameHit?.value,
    language: readFirst(findings, 'templateLanguage', textOf)?.value,
    status: readFirst(findings, 'templateStatus', templateStatusOf)?.value,
    previousStatus: readFirst(findings, 'previousStatus', templateStatusOf)?.value,
    reason: readFirst(findings, 'templateReason', textOf)?.value,
    category: readFirst(findings, 'category', textOf)?.value,
  }
  return { template: reading(withoutGaps(change), path, true) }
}

function templateStatusOf(value: unknown): string | undefined {
  return isEventName(value) ? undefined : wordOf(value)
}

function withoutGaps(change: Record<string, string | undefined>): TemplateChange {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
}
