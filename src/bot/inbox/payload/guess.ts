import { canonicalDeliveryId, STATUSES } from '../../../service/contract.ts'
import type { Hit } from './collect.ts'
import { readContent } from './content.ts'
import type { Reading } from './facts.ts'
import {
  alarm,
  find,
  findAgreed,
  type Findings,
  findMembers,
  isLastResort,
  noteUnreadable,
  reading,
} from './findings.ts'
import { idOf, isPlausible, isUpstream, momentOf, phoneOf, userIdOf } from './values.ts'
import { echoOf, isKnownStatus } from './words.ts'

/** Guesses each fact. `mappedStatus`: the status by the app's mapping. */
export function guess(findings: Findings, mappedStatus: string | undefined): void {
  const { facts, context } = findings
  const status = find(findings, 'status')
  const statusName = mappedStatus ?? status?.value
  readCustomer(findings)
  const number = findAgreed(findings, 'numberId')
  if (number) facts.numberId = reading(number.value, number.hit.path, number.agreed && isCertain(number.hit))
  readMessageIds(findings)
  readEcho(findings)
  const name = find(findings, 'name')
  if (name) facts.name = reading(name.value, name.hit.path, true)
  readContent(findings)
  if (status) facts.status = reading(status.value, status.hit.path, status.hit.inMessage)
  readFailure(findings, statusName)
  readTemplate(findings)
  readTime(findings, context.event === 'message.status' ? (statusName ?? '') : undefined)
}

// ── who ─────────────────────────────────────────────────────────────────────────────────────────────

/**
 * Reads the other person's number. A wrong one would send the reply to somebody else, so it is sure only at a certain
 * place, if no other place disagrees. Our own number is never the customer. Beside a hidden id, only certain places
 * count.
 */
function readCustomer(findings: Findings): void {
  const { of = (digits: string) => digits } = findings.context.sameCustomer ?? {}
  const ours = ourNumbers(findings).map((one) => (phoneOf(one) === undefined ? one : of(one)))
  let agreed = true
  let hidden: Hit | undefined
  let refused: Hit | undefined
  let found: { digits: string; hit: Hit } | undefined
  for (const hit of findings.hits.customer) {
    if (found && isLastResort(hit)) break
    if (hidden && !isCertain(hit)) continue
    const digits = phoneOf(hit.value)
    if (digits === undefined) {
      if (userIdOf(hit.value) !== undefined) hidden ??= hit
      else noteUnreadable(findings, 'customer', hit)
    } else if (ours.includes(of(digits))) refused ??= hit
    else if (found === undefined) found = { digits, hit }
    else if (of(digits) !== of(found.digits)) agreed = conflict(findings, hit)
  }
  // Our own number may be at another than a certain place.
  if (refused && (!found || isCertain(refused))) agreed = conflict(findings, refused)
  if (found && hidden) agreed = conflict(findings, hidden)
  const sure = agreed && found !== undefined && isCertain(found.hit)
  if (found) findings.facts.customer = reading(found.digits, found.hit.path, sure)
  const userId = hidden ? { value: String(hidden.value), hit: hidden } : find(findings, 'userId')
  if (userId) findings.facts.userId = reading(userId.value, userId.hit.path, true)
}

function isCertain({ place }: Hit): boolean {
  return place.rank === 'certain'
}

function conflict(findings: Findings, hit: Hit): false {
  alarm(findings, 'fact_conflict', 'customer', hit.path)
  return false
}

/** Returns the ids and the digits of the bot's number. */
export function ourNumbers({ context, hits }: Findings): readonly string[] {
  const ours = [context.ownNumberId]
  for (const { value } of hits.ours) ours.push(phoneOf(value))
  for (const { value } of hits.numberId) ours.push(idOf(value))
  return ours.filter((one) => one !== undefined)
}

/** True if the message is the number's own, sent back. If places disagree, it is the customer's. */
function readEcho(findings: Findings): void {
  const hits = findings.hits.echo.filter(({ value }) => echoOf(value) !== undefined)
  const found = findAgreed(findings, 'echo', hits)
  if (found?.value && found.agreed) findings.facts.echo = reading(true, found.hit.path, true)
}

// ── which message ───────────────────────────────────────────────────────────────────────────────────

/** Reads the message's id with the service, and its upstream id, which begins with `wamid.` wherever it is. */
function readMessageIds(findings: Findings): void {
  const ids = findings.hits.messageId.filter((hit) => canNameMessage(findings, hit))
  const upstream = findings.hits.upstreamId.filter((hit) => canNameMessage(findings, hit))
  readMessageId(findings, ids.filter(isOwn))
  readUpstreamId(findings, [...upstream, ...ids.filter((hit) => !isOwn(hit))])
}

function isOwn({ value }: Hit): boolean {
  return !isUpstream(value)
}

function canNameMessage({ context: { deliveryId } }: Findings, { ownMessage, value }: Hit): boolean {
  if (!ownMessage) return false
  if (typeof value !== 'string' || value.length !== deliveryId?.length) return true
  return canonicalDeliveryId(value) !== canonicalDeliveryId(deliveryId)
}

function readMessageId(findings: Findings, hits: readonly Hit[]): void {
  // Beside `message_id`, a bare `id` belongs to something else: the event, or a row of a table.
  const named = hits.length > 1 && hits.some((hit) => hit.inMessage && !isBareId(hit) && typeof hit.value !== 'object')
  const found = findAgreed(findings, 'messageId', named ? hits.filter((hit) => !isBareId(hit)) : hits)
  if (!found) return
  const ambiguous = isBareId(found.hit) && !(findings.isMessage && findings.hasEnvelope)
  if (ambiguous) alarm(findings, 'fact_assumed', 'messageId', found.hit.path)
  findings.facts.messageId = reading(found.value, found.hit.path, found.agreed && !ambiguous)
}

function isBareId({ place }: Hit): boolean {
  return place.path === 'id'
}

function readUpstreamId(findings: Findings, hits: readonly Hit[]): void {
  const clear = hits.filter((hit) => !isLastResort(hit) || !isOwn(hit))
  const found = findAgreed(findings, 'upstreamId', clear.length > 0 ? clear : hits)
  if (found) findings.facts.upstreamId = reading(found.value, found.hit.path, found.agreed && clear.length > 0)
}

// ── failure, template, time ─────────────────────────────────────────────────────────────────────────

/** A bare `reason` or `description` counts only if the status is none of success. */
function readFailure(findings: Findings, status: string | undefined): void {
  const succeeded = status !== undefined && status !== 'failed' && isKnownStatus(status)
  const found = find(findings, 'failureReason', (hit) => !succeeded || !isLastResort(hit))
  if (found) findings.facts.failureReason = reading(found.value, found.hit.path, true)
}

function readTemplate(findings: Findings): void {
  if (findings.hits['template.id'].length + findings.hits['template.name'].length === 0) return
  // In a body without an envelope, a bare `id` is the event's.
  const { value, first } = findMembers(findings, 'template', (hit) => findings.hasEnvelope || hit.place.path !== 'id')
  if ((value.id ?? value.name) !== undefined && first) findings.facts.template = reading(value, first.path, true)
}

const STATUS_TIMES: ReadonlySet<string> = new Set(STATUSES.map((status) => `${status}_at`))

/**
 * Reads the payload's own time, sure with a zone at a certain place. For a status the time of that status counts, such
 * as `delivered_at`. An implausible time counts only without another one.
 */
function readTime(findings: Findings, status?: string): void {
  let implausible: Reading<number> | undefined
  for (const hit of findings.hits.at) {
    const { path } = hit.place
    if (status !== undefined && STATUS_TIMES.has(path) && path !== `${status}_at`) continue
    const moment = momentOf(hit.value)
    if (moment === undefined) {
      noteUnreadable(findings, 'at', hit)
      continue
    }
    const isUsual = isPlausible(moment.ms, findings.context.now)
    if (!isUsual || !moment.zoned) alarm(findings, 'fact_assumed', 'at', hit.path)
    if (isUsual) {
      findings.facts.at = reading(moment.ms, hit.path, moment.zoned && isCertain(hit))
      return
    }
    implausible ??= reading(moment.ms, hit.path, false)
  }
  if (implausible) findings.facts.at = implausible
}
