import { canonicalDeliveryId } from '../../../service/contract.ts'
import { type Hit, isLastResort } from './collect.ts'
import { alarm, type Findings, noteUnreadable, readAgreed, reading, readSure } from './readings.ts'
import { idOf, isUpstream, phoneOf, userIdOf, yesOf } from './values.ts'

/**
 * Reads the other person's number. A wrong customer would send the reply to somebody else. So a number is sure only at
 * a path of the first choice, and only if no other candidate disagrees. Our own number is never a customer. If a
 * candidate is a hidden id, numbers at lesser paths are not read, because they may be anyone's.
 */
export function readCustomer(findings: Findings): void {
  const { of = (digits: string) => digits } = findings.context.sameCustomer ?? {}
  const ours = ourNumbers(findings).map((one) => (phoneOf(one) === undefined ? one : of(one)))
  let agreed = true
  let hidden: Hit | undefined
  let refused: Hit | undefined
  let found: { digits: string; hit: Hit } | undefined
  for (const hit of findings.hits.customer) {
    if (found && isLastResort(hit)) break
    if (hidden && hit.candidate.choice !== 'first') continue
    const { value } = hit
    const digits = phoneOf(value)
    if (digits === undefined) {
      if (userIdOf(value) !== undefined) hidden ??= hit
      else noteUnreadable(findings, 'customer', hit)
    } else if (ours.includes(of(digits))) refused ??= hit
    else if (found === undefined) found = { digits, hit }
    else if (of(digits) !== of(found.digits)) agreed = conflict(findings, hit)
  }
  // Our number at a lesser path is no contradiction, because such a path may contain our number.
  if (refused && (!found || refused.candidate.choice === 'first')) agreed = conflict(findings, refused)
  if (found && hidden) agreed = conflict(findings, hidden)
  const sure = agreed && found?.hit.candidate.choice === 'first'
  if (found) findings.facts.customer = reading(found.digits, found.hit.path, sure)
  const userId = readSure(findings, hidden ? [hidden] : findings.hits.userId, userIdOf)
  if (userId) findings.facts.userId = userId
}

/** Everything that identifies our own number: its id, as configured and in the payload, and its digits. */
export function ourNumbers(findings: Findings): readonly string[] {
  const ours: string[] = []
  if (findings.context.ownNumberId !== undefined) ours.push(findings.context.ownNumberId)
  for (const hit of findings.hits.ours) {
    const digits = phoneOf(hit.value)
    if (digits !== undefined) ours.push(digits)
  }
  for (const hit of findings.hits.numberId) {
    const id = idOf(hit.value)
    if (id !== undefined) ours.push(id)
  }
  return ours
}

const DIRECTION = /^\s*(?:(out)|in)(?:$|[^a-z]|bound|coming|going)/i
/** Not `human`, which may be the customer. */
const OURS = /^\s*(?:business|business_app|agent|ai_agent|operator|dashboard|echo)\s*$/i

/** Tells whether the number itself wrote a message, by what a payload has for that; undefined if it does not say. */
export function echoOf(value: unknown): boolean | undefined {
  const direction = typeof value === 'string' ? DIRECTION.exec(value) : null
  if (direction) return direction[1] !== undefined
  return typeof value === 'string' && OURS.test(value) ? true : yesOf(value)
}

/** The number's own message, which a platform sent back. It is the customer's if candidates disagree. */
export function readEcho(findings: Findings): void {
  const hits = findings.hits.echo.filter(({ value }) => echoOf(value) !== undefined)
  const found = readAgreed(findings, 'echo', hits, echoOf)
  if (found?.value && found.agreed) findings.facts.echo = reading(true, found.hit.path, true)
}

function conflict(findings: Findings, hit: Hit): false {
  alarm(findings, 'fact_conflict', 'customer', hit.path)
  return false
}

/** Our own number's id is sure if its member is called `phone_number_id`. */
export function readNumberId(findings: Findings): void {
  const found = readAgreed(findings, 'numberId', findings.hits.numberId, idOf)
  if (!found) return
  const sure = found.agreed && found.hit.candidate.choice === 'first'
  findings.facts.numberId = reading(found.value, found.hit.path, sure)
}

/**
 * Reads the message's id with the service and with the upstream platform. An id that begins with `wamid.` is upstream,
 * wherever it is. The delivery's id is never a message's, and an id around a batch names none of its messages.
 */
export function readMessageIds(findings: Findings): void {
  const ids = findings.hits.messageId.filter((hit) => canNameMessage(findings, hit))
  const upstream = findings.hits.upstreamId.filter((hit) => canNameMessage(findings, hit))
  readMessageId(findings, ids.filter(isOwn))
  readUpstreamId(findings, [...upstream, ...ids.filter((hit) => !isOwn(hit))])
}

function isOwn({ value }: Hit): boolean {
  return !isUpstream(value)
}

function canNameMessage(findings: Findings, hit: Hit): boolean {
  if (!hit.ownMessage) return false
  const { deliveryId } = findings.context
  const { value } = hit
  if (typeof value !== 'string' || value.length !== deliveryId?.length) return true
  return canonicalDeliveryId(value) !== canonicalDeliveryId(deliveryId)
}

function readMessageId(findings: Findings, hits: readonly Hit[]): void {
  // Beside `message_id`, a bare `id` belongs to something else: the event, or a row of a table.
  if (hits.length === 0) return
  const named = hits.length > 1 && hits.some((hit) => hit.inMessage && !isBareId(hit) && typeof hit.value !== 'object')
  const found = readAgreed(findings, 'messageId', named ? hits.filter((hit) => !isBareId(hit)) : hits, idOf)
  if (!found) return
  const ambiguous = isBareId(found.hit) && !(findings.isMessage && findings.hasEnvelope)
  if (ambiguous) alarm(findings, 'fact_assumed', 'messageId', found.hit.path)
  findings.facts.messageId = reading(found.value, found.hit.path, found.agreed && !ambiguous)
}

function isBareId(hit: Hit): boolean {
  return hit.candidate.path === 'id'
}

function readUpstreamId(findings: Findings, hits: readonly Hit[]): void {
  if (hits.length === 0) return
  const clear = hits.filter((hit) => !isLastResort(hit) || !isOwn(hit))
  const found = readAgreed(findings, 'upstreamId', clear.length > 0 ? clear : hits, idOf)
  if (found) findings.facts.upstreamId = reading(found.value, found.hit.path, found.agreed && clear.length > 0)
}
