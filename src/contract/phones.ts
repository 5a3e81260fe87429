import { LIMITS } from './limits.ts'

/** Whom a send may name: digits alone, in full international format, without `+` (SEND-01). */
export const RECIPIENT_FORM = new RegExp(`^\\d{${LIMITS.to.min},${LIMITS.to.max}}$`)

/** A number from which a person can write: 6 to 15 digits (E.164), country code first, so without a zero in front. */
export const PHONE_FORM = /^[1-9]\d{5,14}$/
