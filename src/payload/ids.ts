import { canonicalDeliveryId } from '../contract/index.ts'
import { alarm, elect, type Evidence, reading } from './evidence.ts'
import type { Facts } from './facts.ts'
import { type Hit, hitsOf, isLastResort } from './gather.ts'
import { idOf, isUpstream } from './values.ts'

/** Our own number's id: sure where its member is called `phone_number_id`. */
export function readNumberId(evidence: Evidence): Pick<Facts, 'numberId'> {
  const elected = elect(evidence, 'numberId', hitsOf(evidence.hits, 'numberId'), idOf)
  if (!elected) return {}
  const sure = elected.agreed && elected.hit.candidate.choice === 'first'
  return { numberId: reading(elected.value, elected.hit.path, sure) }
}

/**
 * The message's id with the service and with the upstream platform. A `wamid.` is upstream wherever it stands; the
 * delivery's id is never a message's; what stands around a batch names none of its messages.
 */
export function readMessageIds(evidence: Evidence): Pick<Facts, 'messageId' | 'upstreamId'> {
  const own = hitsOf(evidence.hits, 'messageId').filter((hit) => isCandidate(evidence, hit))
  const named = hitsOf(evidence.hits, 'upstreamId').filter((hit) => isCandidate(evidence, hit))
  const ids = own.filter((hit) => !isUpstream(hit.value))
  const upstream = [...named, ...own.filter((hit) => isUpstream(hit.value))]
  return { ...readMessageId(evidence, ids), ...readUpstreamId(evidence, upstream) }
}

function isCandidate({ context }: Evidence, hit: Hit): boolean {
  if (!hit.alone) return false
  const { deliveryId } = context
  if (typeof hit.value !== 'string' || hit.value.length !== deliveryId?.length) return true
  return canonicalDeliveryId(hit.value) !== canonicalDeliveryId(deliveryId)
}

function readMessageId(evidence: Evidence, hits: readonly Hit[]): Pick<Facts, 'messageId'> {
  // Beside `message_id` a bare `id` is another thing's: the event's, or a row's.
  const named = hits.some((hit) => hit.inMessage && !isBare(hit) && typeof hit.value !== 'object')
  const elected = elect(evidence, 'messageId', named ? hits.filter((hit) => !isBare(hit)) : hits, idOf)
  if (!elected) return {}
  const ambiguous = isBare(elected.hit) && !(evidence.isMessage && evidence.hasEnvelope)
  if (ambiguous) alarm(evidence, 'fact_assumed', 'messageId', elected.hit.path)
  return { messageId: reading(elected.value, elected.hit.path, elected.agreed && !ambiguous) }
}

function isBare(hit: Hit): boolean {
  return hit.candidate.path === 'id'
}

function readUpstreamId(evidence: Evidence, hits: readonly Hit[]): Pick<Facts, 'upstreamId'> {
  const clear = hits.filter((hit) => isUpstream(hit.value) || !isLastResort(hit))
  const elected = elect(evidence, 'upstreamId', clear.length > 0 ? clear : hits, idOf)
  if (!elected) return {}
  return { upstreamId: reading(elected.value, elected.hit.path, elected.agreed && clear.length > 0) }
}
