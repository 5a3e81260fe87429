/**
 * The form of a delivery's signature (SIG-01): `sha256=` and the hex of HMAC-SHA256 over
 * `{timestamp}.{raw_body}`. Form alone: whoever verifies or signs does the arithmetic.
 */
export const SIGNATURE_SCHEME = 'sha256='
export const SIGNATURE_FORM = /^sha256=([0-9a-fA-F]{64})$/

/** Plain decimal Unix seconds: no sign, space, fraction, exponent or leading zero (SIG-05). */
export const TIMESTAMP_FORM = /^[1-9][0-9]{0,14}$/

/** What stands before the raw body in the signed bytes. */
export function signedPrefix(timestamp: string): string {
  return `${timestamp}.`
}

/** The name of an event: letters, digits, dots, dashes, underscores. */
export const EVENT_NAME_FORM = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,99}$/

/** A delivery id: printable ASCII. The service sends ULIDs; another form is no reason to lose a message. */
export const DELIVERY_ID_FORM = /^[\x21-\x7e]{1,128}$/

const ULID_FORM = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/i

/** One spelling per delivery id: a ULID means the same in either case. */
export function canonicalDeliveryId(id: string): string {
  return ULID_FORM.test(id) ? id.toUpperCase() : id
}
