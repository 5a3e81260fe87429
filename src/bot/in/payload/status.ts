import { STATUSES } from '../../../service/contract.ts'
import { type Hit, isLastResort } from './collect.ts'
import type { Reading, TemplateChange, Words } from './facts.ts'
import { alarm, type Findings, noteUnreadable, readFirst, reading } from './readings.ts'
import { idOf, isEventName, isPlausible, momentOf, textOf, wordOf } from './values.ts'

const KNOWN: ReadonlySet<string> = new Set(STATUSES)

/** Reads a sent message's status, in lower case. A status other than the five known ones is kept, with an alarm. */
export function readStatus(findings: Findings): Reading<string> | undefined {
  for (const hit of findings.hits.status) {
    const value = statusOf(hit.value, findings.context.words)
    if (value === undefined || (isLastResort(hit) && !KNOWN.has(value))) continue
    return reading(value, hit.path, hit.inMessage)
  }
  return undefined
}

/** Reads a status's name. A number is kept unchanged, because services disagree on its meaning. */
export function statusOf(value: unknown, words?: Words): string | undefined {
  const word = typeof value === 'number' ? idOf(value) : wordOf(value)
  return word === undefined ? undefined : (words?.statuses.get(word) ?? word)
}

export function noteUnknownStatus(findings: Findings): void {
  const { status } = findings.facts
  if (status && !KNOWN.has(status.value)) alarm(findings, 'unknown_status', 'status', status.path, status.value)
}

/** Reads why a send failed. A bare `reason` or `description` counts only if the status is not one of success. */
export function readFailure(findings: Findings, status: string | undefined): void {
  const found = readFirst(findings, findings.hits.failureReason, textOf)
  if (!found) return
  const succeeded = status !== undefined && status !== 'failed' && KNOWN.has(status)
  if (!succeeded || !isLastResort(found.hit)) findings.facts.failureReason = reading(found.value, found.hit.path, true)
}

const STATUS_TIMES: ReadonlySet<string> = new Set(STATUSES.map((status) => `${status}_at`))

/**
 * Reads the payload's own time. It is sure if it has a zone and is at a path of the first choice. For a status, the
 * time of that status counts, such as `delivered_at`. An implausible time is used only if there is no other.
 */
export function readTime(findings: Findings, status?: string): void {
  let implausible: Reading<number> | undefined
  for (const hit of findings.hits.at) {
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
    const sure = moment.zoned && hit.candidate.choice === 'first'
    findings.facts.at = reading(moment.ms, hit.path, sure)
    return
  }
  if (implausible) findings.facts.at = implausible
}

function isOfOtherStatus(hit: Hit, status: string): boolean {
  return STATUS_TIMES.has(hit.candidate.path) && hit.candidate.path !== `${status}_at`
}

export function readTemplate(findings: Findings): void {
  const { hits } = findings
  if (hits.templateId.length + hits.templateName.length === 0) return
  // In a body without an envelope, a bare `id` is the event's.
  const ids = hits.templateId.filter(({ candidate }) => candidate.path !== 'id' || findings.hasEnvelope)
  const id = readFirst(findings, ids, idOf)
  const name = readFirst(findings, hits.templateName, textOf)
  const path = (id ?? name)?.hit.path
  if (path === undefined) return
  const change: { [K in keyof TemplateChange]: TemplateChange[K] | undefined } = {
    id: id?.value,
    name: name?.value,
    language: readFirst(findings, hits.templateLanguage, textOf)?.value,
    status: readFirst(findings, hits.templateStatus, templateStatusOf)?.value,
    previousStatus: readFirst(findings, hits.previousStatus, templateStatusOf)?.value,
    reason: readFirst(findings, hits.templateReason, textOf)?.value,
    category: readFirst(findings, hits.category, textOf)?.value,
  }
  findings.facts.template = reading(withoutGaps(change), path, true)
}

function templateStatusOf(value: unknown): string | undefined {
  return isEventName(value) ? undefined : wordOf(value)
}

function withoutGaps(change: Record<string, string | undefined>): TemplateChange {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
}
