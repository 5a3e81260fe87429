/** Headers that carry the service's name begin with this, unless configured otherwise (GEN-09). */
export const DEFAULT_HEADER_PREFIX = 'X-Service-'

export interface DeliveryHeaders {
  signature: string
  timestamp: string
  event: string
  delivery: string
}

/** The four headers of a delivery, under the service's real name. */
export function deliveryHeaders(prefix: string = DEFAULT_HEADER_PREFIX): DeliveryHeaders {
  return {
    signature: `${prefix}Signature`,
    timestamp: `${prefix}Timestamp`,
    event: `${prefix}Event`,
    delivery: `${prefix}Delivery`,
  }
}

export const IDEMPOTENCY_KEY = 'Idempotency-Key'
export const IDEMPOTENCY_REPLAYED = 'Idempotency-Replayed'
export const PHONE_NUMBER_ID = 'X-Phone-Number-Id'

/** Not the service's: an emulator tells by it how far its clock was moved, in milliseconds. */
export const EMULATOR_CLOCK_OFFSET = 'X-Emulator-Clock-Offset'
