/** Every path begins with this (GEN-01). */
export const API_PREFIX = '/api/v2'

/** The whole service: two endpoints, and its own description. */
export const ENDPOINTS = {
  send: { method: 'POST', path: '/messages' },
  templates: { method: 'GET', path: '/templates' },
  description: { method: 'GET', path: '/openapi.json' },
  docs: { method: 'GET', path: '/docs' },
} as const

/** Header of a send: under the same key the same body is sent once (IDEM-01). */
export const IDEMPOTENCY_KEY = 'Idempotency-Key'
/** Header of an answer, `true` if the answer repeats the original one and nothing was sent (IDEM-03). */
export const IDEMPOTENCY_REPLAYED = 'Idempotency-Replayed'
/** Header that names one of the numbers of a token, on every endpoint (SEND-19, AUTH-05). */
export const PHONE_NUMBER_ID = 'X-Phone-Number-Id'

/** Header of the emulator alone: how far its clock was moved, in milliseconds. */
export const EMULATOR_CLOCK_OFFSET = 'X-Emulator-Clock-Offset'
/** Header of the emulator's deliveries alone: the armed fault that a receiver must refuse them for. */
export const EMULATOR_FAULT = 'X-Emulator-Fault'

/**
 * The service's limits, each written once. Lengths are counted in code points: the specification does not
 * show the unit, so near a limit the service has the last word.
 */
export const LIMITS = {
  to: { min: 6, max: 20 },
  text: { max: 4096 },
  mediaCaption: { max: 1024 },
  interactiveBody: { min: 1, max: 1024 },
  interactiveFooter: { max: 60 },
  /** At least one button is an assumption; the specification gives only the maximum. */
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

/** The length of a text in code points: nearer to what a person counts than `length`, for which an emoji is two. */
export function codePoints(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

/** The recipient of a send: digits alone, in full international format, without `+` (SEND-01). */
export const RECIPIENT_FORM = new RegExp(`^\\d{${LIMITS.to.min},${LIMITS.to.max}}$`)

/** A number from which a person can write: 6 to 15 digits (E.164), country code first, so without a zero in front. */
export const PHONE_FORM = /^[1-9]\d{5,14}$/

/** How long after a customer's last inbound message free-form sends are accepted (GEN-04). */
export const WINDOW_MS = 24 * 3_600_000

/** How long a one-time code holds if nothing is known of it, and at the longest (OTP-09). */
export const CODE_EXPIRY = { usualMs: 10 * 60_000, longestMs: 15 * 60_000 } as const
