import type { TemplateRow } from '../client/index.ts'
import { isForCodes, countPlaceholders, componentText } from '../content/index.ts'
import { CODE_EXPIRY, type SendRequest } from '../contract/index.ts'

/**
 * What is wrong with a send of this template by the service's own list; undefined where nothing is.
 *
 * @param withCode whether it is sent as a one-time code, which is not kept.
 */
export function templateProblem(
  send: SendRequest,
  rows: readonly TemplateRow[],
  withCode: boolean,
): string | undefined {
  const name = send.template_name ?? ''
  const language = send.template_language ?? ''
  if (rows.length === 0) return `there is no template "${name}" on this number`
  const row = rows.find((one) => one.language === language)
  if (!row)
    return `the template "${name}" is not there in "${language}", only in ${rows.map((one) => one.language).join(', ')}; no other language is taken instead`
  // By category, not by its look: one that is not yet synchronised shows neither text nor code button (OTP-07).
  if (carriesCode(send, rows) && !withCode)
    return `the template "${name}" carries a one-time code, which must not be kept: send it with oneTimeCode()`
  // FLAGGED and LOCKED ones are sendable: the list's own word counts, not the review state (TPL-04).
  if (!row.sendable)
    return `the template "${name}" (${language}) would not be sent now: ${row.unsendable_reason ?? row.status}`
  return countProblem(send, row)
}

/** Whether this template is for one-time codes, which must not be kept. */
export function carriesCode(send: SendRequest, rows: readonly TemplateRow[]): boolean {
  return rows.some((row) => row.language === send.template_language && isForCodes(row))
}

/** Counted only where the list shows a text: a template not yet synchronised has none (TPL-05). */
function countProblem(send: SendRequest, row: TemplateRow): string | undefined {
  for (const part of ['header', 'body'] as const) {
    const text = componentText(row, part)
    if (text === undefined) continue
    const wanted = countPlaceholders(text)
    const given = (send.template_components ?? [])
      .filter(({ type }) => type === part)
      .flatMap(({ parameters }) => parameters ?? [])
      .filter(({ type }) => type === 'text').length
    if (wanted !== given)
      return `the ${part} of the template "${send.template_name}" takes ${wanted} parameters, and ${given} were given`
  }
  return undefined
}

/** Milliseconds after which a code of this template is of no use, and attempts at it end (OTP-09). */
export function codeExpiryMs(row: TemplateRow | undefined): number {
  const told = (row?.components as readonly unknown[] | undefined)
    ?.map((component) => ((component ?? {}) as { code_expiration_minutes?: unknown }).code_expiration_minutes)
    .find((minutes): minutes is number => typeof minutes === 'number' && minutes >= 1)
  return told === undefined ? CODE_EXPIRY.usualMs : Math.min(told * 60_000, CODE_EXPIRY.longestMs)
}
