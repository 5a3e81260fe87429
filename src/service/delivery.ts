/** Names and patterns of a delivery, without crypto: the receiver and the emulator compute signatures themselves. */

/** The default prefix. The real service's headers may begin with its own name (GEN-09). */
export const DEFAULT_HEADER_PREFIX = 'X-Service-'

export interface DeliveryHeaders {
  signature: string
  timestamp: string
  event: string
  delivery: string
}

/**
 * The names of the four headers of a delivery. Default prefix: `X-Service-`.
 *
 *     deliveryHeaders('X-Acme-').signature // 'X-Acme-Signature'
 */
export function deliveryHeaders(prefix: string = DEFAULT_HEADER_PREFIX): DeliveryHeaders {
  return {
    signature: `${prefix}Signature`,
    timestamp: `${prefix}Timestamp`,
    event: `${prefix}Event`,
    delivery: `${prefix}Delivery`,
  }
}

/** `sha256=` and the hex of HMAC-SHA256 over `{timestamp}.{raw_body}` (SIG-01). */
export const SIGNATURE_SCHEME = 'sha256='
export const SIGNATURE_FORM = /^sha256=([0-9a-fA-F]{64})$/

/** Plain decimal Unix seconds: no sign, space, fraction, exponent or leading zero (SIG-05). */
export const TIMESTAMP_FORM = /^[1-9][0-9]{0,14}$/

/** How far a delivery's timestamp may be from now, before or after (SIG-05). */
export const TIMESTAMP_TOLERANCE_SECONDS = 300

/**
 * The beginning of the signed bytes. The raw body follows.
 *
 *     createHmac('sha256', secret).update(signedPrefix('1772614800')).update(body).digest('hex')
 */
export function signedPrefix(timestamp: string): string {
  return `${timestamp}.`
}

/** A delivery id: printable ASCII. The service sends ULIDs, but another form must not lose a message. */
export const DELIVERY_ID_FORM = /^[\x21-\x7e]{1,128}$/

const ULID_FORM = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/i

/**
 * One spelling per delivery id: a ULID in capitals, because it means the same in either case; any other id unchanged.
 *
 *     canonicalDeliveryId('01jng3c0v2k7g0zp6t2j5m8q4r') // '01JNG3C0V2K7G0ZP6T2J5M8Q4R'
 */
export function canonicalDeliveryId(id: string): string {
  return ULID_FORM.test(id) ? id.toUpperCase() : id
}

/** Failed deliveries in a row after which the service disables an endpoint (DEL-06). */
export const FAILURES_UNTIL_DISABLED = 20

/** The name of an event: letters, digits, dots, dashes, underscores and colons. */
export const EVENT_NAME_FORM = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,99}$/

/** The events that the specification names. It does not confirm that the `declared` events are sent yet. */
export const EVENTS = {
  'message.received': 'confirmed',
  'message.status': 'confirmed',
  'message.sent': 'declared',
  'template.status': 'declared',
  'account.error': 'declared',
  'conversation.escalated': 'declared',
  'order.paid': 'declared',
} as const

export type EventName = keyof typeof EVENTS

/** The statuses of a sent message in order. `failed` is separate (EVT-04). */
export const STATUS_ORDER = ['sent', 'delivered', 'read', 'played'] as const
export const STATUSES = [...STATUS_ORDER, 'failed'] as const

export type KnownStatus = (typeof STATUSES)[number]
