/** Every path begins with this (GEN-01). */
export const API_PREFIX = '/api/v2'

/** All that the service has: two endpoints, and its own description in two forms. */
export const ENDPOINTS = {
  send: { method: 'POST', path: '/messages' },
  templates: { method: 'GET', path: '/templates' },
  description: { method: 'GET', path: '/openapi.json' },
  docs: { method: 'GET', path: '/docs' },
} as const

/** Header of a send. The same body under the same key is sent once (IDEM-01). */
export const IDEMPOTENCY_KEY = 'Idempotency-Key'
/** Header of an answer. `true` if it repeats the original answer and nothing was sent (IDEM-03). */
export const IDEMPOTENCY_REPLAYED = 'Idempotency-Replayed'
/** Header that names one of the token's numbers, on every endpoint (SEND-19, AUTH-05). */
export const PHONE_NUMBER_ID = 'X-Phone-Number-Id'

/** The prefix of a delivery's headers. It ends with a dash. */
export const HEADER_PREFIX_FORM = /^[A-Za-z][A-Za-z0-9-]*-$/

/** Header of the emulator only: its clock's offset in milliseconds. */
export const EMULATOR_CLOCK_OFFSET = 'X-Emulator-Clock-Offset'
/** Header of the emulator's deliveries only: the simulated fault for which a receiver must refuse the delivery. */
export const EMULATOR_FAULT = 'X-Emulator-Fault'

/**
 * The service's limits, in one place. Lengths are counted in code points. The specification does not state the unit, so
 * near a limit the service decides.
 */
export const LIMITS = {
  to: { min: 6, max: 20 },
  text: { max: 4096 },
  mediaCaption: { max: 1024 },
  interactiveBody: { min: 1, max: 1024 },
  interactiveFooter: { max: 60 },
  /** At least one button is an assumption. The specification states only the maximum. */
  buttons: { min: 1, max: 3 },
  buttonId: { min: 1, max: 256 },
  buttonTitle: { min: 1, max: 20 },
  listButtonText: { max: 20 },
  /** In total, over all sections. */
  rows: { min: 1, max: 10 },
  sectionTitle: { max: 24 },
  rowId: { min: 1, max: 200 },
  rowTitle: { min: 1, max: 24 },
  rowDescription: { max: 72 },
  linkTitle: { min: 1, max: 20 },
  linkUrl: { min: 1, max: 2000 },
  code: { min: 1, max: 15 },
  templatesPage: { min: 1, max: 100, default: 25 },
} as const

/**
 * The length of a text in code points, which is closer to what a person counts than `length`, where an emoji counts as
 * two.
 *
 *     codePoints('👍') // 1
 */
export function codePoints(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

/** The recipient of a send: only digits, in full international format, without `+` (SEND-01). */
export const RECIPIENT_FORM = new RegExp(`^\\d{${LIMITS.to.min},${LIMITS.to.max}}$`)

/** A number that a person can write from: 6 to 15 digits (E.164), country code first, so without a leading zero. */
export const PHONE_FORM = /^[1-9]\d{5,14}$/

/** How long after a customer's last inbound message free-form sends are accepted (GEN-04). */
export const WINDOW_MS = 24 * 3_600_000

/** How long a one-time code is valid by default, and at most (OTP-09). */
export const CODE_EXPIRY = { usualMs: 10 * 60_000, longestMs: 15 * 60_000 } as const
