/** Headers that carry the service's name begin with this, unless configured otherwise (GEN-09). */
export const DEFAULT_HEADER_PREFIX = 'X-Service-'

/** What such a prefix may be: it ends with its dash. */
export const HEADER_PREFIX_FORM = /^[A-Za-z][A-Za-z0-9-]*-$/

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

/** Of a send: the same key and body are sent once (IDEM-01). */
export const IDEMPOTENCY_KEY = 'Idempotency-Key'
/** `true` on an answer that is the original one once more, with nothing sent (IDEM-03). */
export const IDEMPOTENCY_REPLAYED = 'Idempotency-Replayed'
/** Names one of the numbers that hold the token, on every endpoint (SEND-19, AUTH-05). */
export const PHONE_NUMBER_ID = 'X-Phone-Number-Id'

/** Not the service's: an emulator tells by it how far its clock was moved, in milliseconds. */
export const EMULATOR_CLOCK_OFFSET = 'X-Emulator-Clock-Offset'
