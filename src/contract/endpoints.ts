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
/** Header of an answer, `true` if the answer is the original one once more and nothing was sent (IDEM-03). */
export const IDEMPOTENCY_REPLAYED = 'Idempotency-Replayed'
/** Header that names one of the numbers of a token, on every endpoint (SEND-19, AUTH-05). */
export const PHONE_NUMBER_ID = 'X-Phone-Number-Id'

/** Header of the emulator alone: how far its clock was moved, in milliseconds. */
export const EMULATOR_CLOCK_OFFSET = 'X-Emulator-Clock-Offset'
/** Header of the emulator's deliveries alone: the armed fault that a receiver must refuse them for. */
export const EMULATOR_FAULT = 'X-Emulator-Fault'
