import { maskPhone } from '../../base/mask.ts'
import type { SendRow } from '../../stores/port/index.ts'
import { resolutionsOf } from '../../stores/rules/send-settlement.ts'
import { iso } from '../support/output.ts'

export interface Reveal {
  readonly reveal?: boolean
}

/** What a list tells of a send. The customer is masked, and what was said is left out, unless they are asked for. */
export function summaryOf(send: SendRow, now: number, { reveal }: Reveal) {
  return {
    kind: 'send',
    id: send.id,
    state: send.state,
    number: send.number,
    customer: reveal ? send.customer : maskPhone(send.customer),
    via: send.via,
    createdAt: iso(send.createdAt),
    ageSeconds: Math.max(0, Math.floor((now - send.createdAt) / 1_000)),
    dueAt: iso(send.dueAt),
    attempts: send.attempts,
    code: send.code,
    ref: send.ref,
    possiblyTwice: send.possiblyTwice,
    ...(reveal && { body: jsonOf(bodyOf(send)) }),
  }
}

type Statuses = readonly { status: string; at: number; reason: string | undefined }[]

/**
 * All that is known of a send. An id of the upstream platform can hold the phone number in another spelling, and cause
 * and slot are made of such ids or chosen by the app: they are shown where the number is.
 */
export function detailsOf(send: SendRow, statuses: Statuses, now: number, { reveal }: Reveal) {
  const shownBody = (body: string) => (reveal ? jsonOf(body) : maskBody(jsonOf(body)))
  return {
    ...summaryOf(send, now, {}),
    customer: reveal ? send.customer : maskPhone(send.customer),
    key: send.key,
    ...(reveal && { cause: send.cause, slot: send.slot }),
    firstAttemptAt: iso(send.firstAttemptAt),
    attemptingSince: iso(send.attemptingSince),
    nextAt: send.settledAt === undefined && send.nextAt > now ? iso(send.nextAt) : undefined,
    expiresAt: iso(send.expiresAt),
    settledAt: iso(send.settledAt),
    messageId: send.messageId,
    ...(reveal && { upstreamId: send.upstreamId }),
    reason: send.reason,
    diverged: send.diverged,
    body: shownBody(send.body),
    fallback: send.fallback && { key: send.fallback.key, body: shownBody(send.fallback.body) },
    codeWithheld: send.withheld,
    statuses: statuses.map(({ status, at, reason }) => ({
      status,
      at: iso(at),
      reason: reveal ? reason : maskPhones(reason),
    })),
    possible: resolutionsOf(send),
  }
}

/** Which of its two bodies goes out, as far as it is decided. */
function bodyOf({ via, fallback, body }: SendRow): string {
  return via === 'template' && fallback ? fallback.body : body
}

/** Digits as a phone number is written: with a plus, spaces, dots, dashes or brackets. */
const PHONE = /\+?\d(?:[\s().-]{0,2}\d){6,}/g

/** Why a message failed is the upstream platform's to say, and it may name who did not get it. */
function maskPhones(reason: string | undefined): string | undefined {
  return reason?.replaceAll(PHONE, (phone) => maskPhone(phone.replaceAll(/\D/g, '')))
}

function jsonOf(body: string): unknown {
  return JSON.parse(body) as unknown
}

/** What a body says of its kind. All else was said to somebody, or by the app. */
const SHOWN = new Set(['type', 'sub_type', 'index', 'template_name', 'template_language'])

/** A body's form without what it says: every text is told by its length alone. */
export function maskBody(body: unknown): unknown {
  return maskValue(body, '')
}

function maskValue(value: unknown, name: string): unknown {
  if (value === null || typeof value === 'boolean') return value
  if (typeof value === 'string') {
    if (SHOWN.has(name)) return value
    return name === 'to' ? maskPhone(value) : `[${Array.from(value).length} characters]`
  }
  if (typeof value !== 'object') return '[number]'
  if (Array.isArray(value)) return value.map((one) => maskValue(one, ''))
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, maskValue(one, key)]))
}
