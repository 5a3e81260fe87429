import { maskPhone } from '../base/mask.ts'
import { resolutionsOf } from '../store/outbox/send-resolutions.ts'
import { iso } from './delivery-view.ts'
import { maskDigits, maskReason, maskTexts, type Reveal } from './mask.ts'
import type { SendRow } from '../store/database/outbox-tables.ts'

/** A send in a list. Without `reveal`, the customer is masked and the text is left out. */
export function summaryOf(send: SendRow, now: number, { reveal }: Reveal) {
  return {
    kind: 'send',
    id: send.id,
    state: send.state,
    number: send.number,
    customer: reveal ? send.customer : maskPhone(send.customer),
    via: send.via,
    template: templateOf(send),
    createdAt: iso(send.createdAt),
    ageSeconds: Math.max(0, Math.floor((now - send.createdAt) / 1_000)),
    dueAt: iso(send.dueAt),
    attempts: send.attempts,
    code: send.code,
    // The app may have made the ref from a customer's number.
    ref: reveal ? send.ref : send.ref && maskDigits(send.ref),
    possiblyTwice: send.possiblyTwice,
    ...(reveal && { body: JSON.parse(bodyOf(send)) as unknown }),
  }
}

function templateOf(send: SendRow): string | undefined {
  if (send.via !== 'template') return undefined
  return (JSON.parse(bodyOf(send)) as { readonly template_name?: string }).template_name
}

type Statuses = readonly { status: string; at: number; reason: string | undefined }[]

/**
 * A send with all details. Ids, and names that the app chose, may contain the phone number in another spelling. So they
 * are shown only with `reveal`.
 */
export function detailsOf(send: SendRow, statuses: Statuses, now: number, { reveal = false }: Reveal) {
  const shownBody = (body: string) => {
    const json = JSON.parse(body) as object
    return reveal ? json : maskBody(json)
  }
  return {
    ...summaryOf(send, now, { reveal }),
    // A key is a hash. If the app made it from a phone number, it could confirm a guess.
    ...(reveal && { key: send.key, cause: send.cause, slot: send.slot }),
    firstAttemptAt: iso(send.firstAttemptAt),
    attemptingSince: iso(send.attemptingSince),
    nextAt: send.settledAt === undefined && send.nextAt > now ? iso(send.nextAt) : undefined,
    expiresAt: iso(send.expiresAt),
    settledAt: iso(send.settledAt),
    messageId: send.messageId,
    ...(reveal && { upstreamId: send.upstreamId }),
    reason: reveal ? send.reason : maskReason(send.reason),
    diverged: send.diverged,
    body: shownBody(send.body),
    fallback: send.fallback && { ...(reveal && { key: send.fallback.key }), body: shownBody(send.fallback.body) },
    codeWithheld: send.withheld,
    statuses: statuses.map(({ status, at, reason }) => ({
      status,
      at: iso(at),
      reason: reveal ? reason : maskReason(reason),
    })),
    possible: resolutionsOf(send),
  }
}

export function canCancel({ state, withheld }: SendRow): boolean {
  return !withheld && (state === 'scheduled' || state === 'ready' || state === 'held')
}

function bodyOf({ via, fallback, body }: SendRow): string {
  return via === 'template' && fallback ? fallback.body : body
}

/** Members that describe the kind of a message. All other members may contain its text. */
const SHOWN = new Set(['type', 'sub_type', 'index', 'template_name', 'template_language'])

function maskBody(body: object): object {
  const masked = maskTexts(body, (name, value) => typeof value === 'string' && SHOWN.has(name)) as object
  return { ...masked, ...('to' in body && { to: maskPhone(String(body.to)) }) }
}
