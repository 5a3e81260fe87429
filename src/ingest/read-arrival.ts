import { holdsFunction } from '../payload/index.ts'
import type { NewDelivery } from '../stores/port/index.ts'
import { type IngestedDelivery, ingestDelivery, type IngestRules } from './ingest.ts'

/** A longer body is read after the answer: others wait for their answers while it is read. */
export const LARGEST_BODY_READ_AT_ONCE = 65_536

/**
 * Reads a delivery before it is stored, as `ingestDelivery` would afterwards. Undefined if that has to wait until it is
 * stored and answered: no function of the app runs before the answer, and a body that fails to be read costs none.
 */
export function readArrival(delivery: NewDelivery, rules: IngestRules): IngestedDelivery | undefined {
  const { event, deliveryId, unclear, stale, body } = delivery
  if (event === undefined || deliveryId === undefined || unclear !== undefined || stale) return undefined
  if (body.byteLength > LARGEST_BODY_READ_AT_ONCE) return undefined
  try {
    const mapping = rules.mappingOf?.(event)
    if (mapping && holdsFunction(mapping)) return undefined
    return ingestDelivery({ ...delivery, event, deliveryId }, rules)
  } catch {
    // The ingest after the answer fails in the same way, keeps the delivery and says why.
    return undefined
  }
}
