import { canonicalDeliveryId } from '../contract/index.ts'
import { type Hit, hitsOf, isLastResort } from './collect.ts'
import type { Facts } from './facts.ts'
import { alarm, type Findings, noteUnreadable, readAgreed, reading } from './readings.ts'
import { idOf, isUpstream, phoneOf, userIdOf, wordOf } from './values.ts'

type CustomerFacts = Pick<Facts, 'customer' | 'userId'>

/**
 * Reads the person on the other side. With a wrong customer, somebody else gets the reply. So a number is sure only
 * at a place of the first choice, and only if no other candidate disagrees; our own number is never a customer; and
 * once a candidate is a hidden id, numbers at lesser places are not read, because they may be anyone's.
 */
export function readCustomer(findings: Findings): CustomerFacts {
  const ours = ourNumbers(findings)
  let agreed = !isOutbound(findings)
  let hidden: Hit | undefined
  let refused: Hit | undefined
  let found: { digits: string; hit: Hit } | undefined
  for (const hit of hitsOf(findings.hits, 'customer')) {
    if (found && isLastResort(hit)) break
    if (hidden && hit.candidate.choice !== 'first') continue
    const digits = phoneOf(hit.value)
    if (digits === undefined) {
      if (userIdOf(hit.value) !== undefined) hidden ??= hit
      else noteUnreadable(findings, 'customer', hit)
    } else if (ours.includes(digits)) refused ??= hit
    else if (found === undefined) found = { digits, hit }
    else if (digits !== found.digits) agreed = conflict(findings, hit)
  }
  // Our number at a lesser place contradicts nothing: such a place is lesser because it may hold our number.
  if (refused && (!found || refused.candidate.choice === 'first')) agreed = conflict(findings, refused)
  if (found && hidden) agreed = conflict(findings, hidden)
  const sure = agreed && found?.hit.candidate.choice === 'first'
  return { ...(found && { customer: reading(found.digits, found.hit.path, sure) }), ...readUserId(findings, hidden) }
}

function readUserId(findings: Findings, hidden: Hit | undefined): Pick<CustomerFacts, 'userId'> {
  for (const hit of hidden ? [hidden] : hitsOf(findings.hits, 'userId')) {
    const id = userIdOf(hit.value)
    if (id !== undefined) return { userId: reading(id, hit.path, true) }
  }
  return {}
}

/** Collects all that names our own number: its id, as configured and in the payload, and its digits. */
export function ourNumbers(findings: Findings): readonly string[] {
  const ours: string[] = []
  if (findings.context.ownNumberId !== undefined) ours.push(findings.context.ownNumberId)
  for (const hit of hitsOf(findings.hits, 'ours')) {
    const digits = phoneOf(hit.value)
    if (digits !== undefined) ours.push(digits)
  }
  for (const hit of hitsOf(findings.hits, 'numberId')) {
    const id = idOf(hit.value)
    if (id !== undefined) ours.push(id)
  }
  return ours
}

// An outbound message names us as its sender.
function isOutbound(findings: Findings): boolean {
  const direction = hitsOf(findings.hits, 'direction')[0]
  if (!direction || !wordOf(direction.value)?.startsWith('out')) return false
  alarm(findings, 'fact_conflict', 'customer', direction.path)
  return true
}

function conflict(findings: Findings, hit: Hit): false {
  alarm(findings, 'fact_conflict', 'customer', hit.path)
  return false
}

/** Reads our own number's id: sure if its member is called `phone_number_id`. */
export function readNumberId(findings: Findings): Pick<Facts, 'numberId'> {
  const found = readAgreed(findings, 'numberId', hitsOf(findings.hits, 'numberId'), idOf)
  if (!found) return {}
  const sure = found.agreed && found.hit.candidate.choice === 'first'
  return { numberId: reading(found.value, found.hit.path, sure) }
}

/**
 * Reads the message's id with the service and with the upstream platform. An id that begins with `wamid.` is
 * upstream, wherever it stands; the delivery's id is never a message's; an id around a batch names none of its
 * messages.
 */
export function readMessageIds(findings: Findings): Pick<Facts, 'messageId' | 'upstreamId'> {
  const hits = hitsOf(findings.hits, 'messageId').filter((hit) => canNameMessage(findings, hit))
  const upstreamHits = hitsOf(findings.hits, 'upstreamId').filter((hit) => canNameMessage(findings, hit))
  const own = hits.filter((hit) => !isUpstream(hit.value))
  const upstream = [...upstreamHits, ...hits.filter((hit) => isUpstream(hit.value))]
  return { ...readMessageId(findings, own), ...readUpstreamId(findings, upstream) }
}

function canNameMessage({ context }: Findings, hit: Hit): boolean {
  if (!hit.ownMessage) return false
  const { deliveryId } = context
  if (typeof hit.value !== 'string' || hit.value.length !== deliveryId?.length) return true
  return canonicalDeliveryId(hit.value) !== canonicalDeliveryId(deliveryId)
}

function readMessageId(findings: Findings, hits: readonly Hit[]): Pick<Facts, 'messageId'> {
  // Beside `message_id`, a bare `id` belongs to something else: the event, or a row of a table.
  const named = hits.some((hit) => hit.inMessage && !isBareId(hit) && typeof hit.value !== 'object')
  const found = readAgreed(findings, 'messageId', named ? hits.filter((hit) => !isBareId(hit)) : hits, idOf)
  if (!found) return {}
  const ambiguous = isBareId(found.hit) && !(findings.isMessage && findings.hasEnvelope)
  if (ambiguous) alarm(findings, 'fact_assumed', 'messageId', found.hit.path)
  return { messageId: reading(found.value, found.hit.path, found.agreed && !ambiguous) }
}

function isBareId(hit: Hit): boolean {
  return hit.candidate.path === 'id'
}

function readUpstreamId(findings: Findings, hits: readonly Hit[]): Pick<Facts, 'upstreamId'> {
  const clear = hits.filter((hit) => isUpstream(hit.value) || !isLastResort(hit))
  const found = readAgreed(findings, 'upstreamId', clear.length > 0 ? clear : hits, idOf)
  if (!found) return {}
  return { upstreamId: reading(found.value, found.hit.path, found.agreed && clear.length > 0) }
}
