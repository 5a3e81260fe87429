import type { Clock } from '../../base/clock.ts'
import { customers, type CustomerOfNumber, silenceIn, withSilence } from '../database/customer-tables.ts'
import { sends, throttles, type SendRow, type Via } from '../database/outbox-tables.ts'
import { isInForce, type Silence } from '../database/silence.ts'
import { sql } from '../database/sql.ts'
import { grouped, pick } from '../database/statements.ts'
import { one, type Steps, type Tx } from '../database/steps.ts'
import { as } from '../database/table.ts'
import { AT_ONCE } from '../work/item-rules.ts'
import { hasUnread } from '../work/subscriptions.ts'
import { isOptedOut } from './opt-outs.ts'
import { type NewRow, type Row, sendRowOf } from './rows.ts'
import {
  type Because,
  bodyTo,
  isSurelyClosed,
  type NumberThrottle,
  partAfter,
  unwantedMarketing,
} from './send-rules.ts'
import { asThrottle, type ThrottleRow } from './throttles.ts'

/** A send that may go out, with the conditions that decide how. */
export interface DueSend {
  readonly send: SendRow
  /** Service time of the customer's last message, if it is trusted. */
  readonly lastInboundAt: number | undefined
  /** True if deliveries of its number are unread, so the window may have moved. */
  readonly unread: boolean
  /** The number's throttle; undefined if the number had no trouble. */
  readonly throttle: NumberThrottle | undefined
  /** For replies and marketing: the last silence, which may have ended. */
  readonly silence: Silence | undefined
  /** For marketing: the customer has opted out. False for other sends. */
  readonly optedOut: boolean
  /** For a later part of a message: the part before it, if that is still stored. */
  readonly before?: Pick<SendRow, 'state' | 'via'> | undefined
  /** True if the attempt was recorded in the commit that recorded the send. The send goes out unchanged. */
  readonly attemptRecorded?: boolean
}

export interface SendConditions extends Omit<DueSend, 'send' | 'attemptRecorded'> {
  readonly wroteAs: string | undefined
}

type ConditionsRow = ThrottleRow & { readonly last_at: number | null; readonly wrote_as: string | null }

const CONDITIONS = grouped(
  pick(customers, 'number', 'customer'),
  ({ number, customer }) => sql<ConditionsRow>`
    SELECT t.number, t.since, t.stopped, t.closed_until, t.in_a_row, t.code, t.reason,
      ${withSilence('c', 'last_at', 'wrote_as')}
    FROM (SELECT ${number} AS number, ${customer} AS customer) AS who LEFT JOIN ${as(throttles, 't')} ON t.number = who.number
      LEFT JOIN ${as(customers, 'c')} ON c.number = who.number AND c.customer = who.customer`,
)

export function* conditionsOf(
  { databaseState }: Pick<Tx, 'databaseState'>,
  {
    number,
    customer,
    marketing = 0,
    part_of,
    part,
  }: CustomerOfNumber & Partial<Pick<Row, 'marketing' | 'part_of' | 'part'>>,
): Steps<SendConditions> {
  const row = (yield CONDITIONS({ number, customer })).rows[0] as ConditionsRow
  return {
    throttle: row.number === null ? undefined : asThrottle(row),
    lastInboundAt: row.last_at ?? undefined,
    wroteAs: row.wrote_as ?? undefined,
    unread: hasUnread(databaseState, number),
    silence: silenceIn(row),
    optedOut: marketing > 0 && (yield* isOptedOut({ number, customer }, marketing > 1)),
    before: part_of
      ? yield* one(sql`SELECT state, via FROM ${sends} WHERE part_of = ${part_of} AND part = ${Number(part) - 1}`)
      : undefined,
  }
}

/** Changes the recipient of a send before its first attempt to the spelling in which the customer wrote last. */
export function addressed<R extends NewRow>(row: R, { wroteAs }: Pick<SendConditions, 'wroteAs'>): R {
  if (wroteAs === undefined || row.first_attempt_at !== null || row.withheld === 1) return row
  const { body, fallback_body: fallback } = row
  return { ...row, body: bodyTo(body, wroteAs), fallback_body: fallback && bodyTo(fallback, wroteAs) }
}

export function dueSend(row: NewRow, conditions: SendConditions): DueSend {
  const { wroteAs: _, throttle, silence, ...others } = conditions
  return {
    ...others,
    send: sendRowOf(row, throttle),
    throttle,
    silence: row.reply === 1 || row.marketing > 0 ? silence : undefined,
  }
}

// ── what is decided before an attempt ───────────────────────────────────────────────────────────────

/** What is stored of a send after its attempt, or in place of one. */
export type SendSettlement =
  | {
      readonly as: 'accepted'
      readonly messageId: string
      readonly upstreamId: string | undefined
      readonly possiblyTwice: boolean
      readonly at?: number
    }
  | ({ readonly as: 'refused' | 'skipped' } & Because)
  /** The outcome is unknown. `surelyOnce`: the service remembers the key. */
  | ({ readonly as: 'unknown'; readonly surelyOnce?: boolean } & Because)
  /** The number is stopped. The send is shown as held until the number is resumed, and no attempt is counted. */
  | ({ readonly as: 'postponed' } & Because)
  /** A later part is held until the part before it has ended. */
  | ({ readonly as: 'held' } & Because)
  /** The send is tried again at the wall time `at`. `ready`: nothing was sent. */
  | ({ readonly as: 'ready' | 'attempting'; readonly at: number } & Because)
  /** The window is closed. The template is sent next, under its own key. */
  | { readonly as: 'fall_back' }
  /** The send was claimed, and released before an attempt. */
  | { readonly as: 'not_begun' }

/** How long the service remembers a key after its first use. The specification is ambiguous. */
export type KeysRememberedFor = '24h' | 'until_settled'

/** What decides about a send besides its row and its customer. */
export interface SendingRules {
  readonly clock: Pick<Clock, 'wall' | 'service'>
  /** While the clock may be ahead, no window counts as closed and no reply as late. */
  readonly lease: { mayBeAhead(): boolean }
  /** Milliseconds from a customer's message until the window closes. */
  readonly windowMs: number
  readonly onUnknown: 'repeat' | 'hold'
  readonly keysRememberedFor: KeysRememberedFor
  /** In digits; undefined allows all. */
  readonly allowedRecipients: ReadonlySet<string> | undefined
}

/** The longest wait before the next attempt at a send, and before the next probe, even if an answer requests more. */
export const LONGEST_WAIT_MS = 60_000

/**
 * Decides whether a send ends, or waits, without an attempt. Undefined: it goes out now.
 *
 * @param doubtMs how long its outcome has been unknown; undefined if it is surely not sent. A send with an unknown
 * outcome is repeated whatever else has changed, because only a repetition shows whether it arrived.
 */
export function endBeforeAttempt(
  due: DueSend,
  doubtMs: number | undefined,
  rules: SendingRules,
): SendSettlement | undefined {
  const { send } = due
  const now = rules.clock.wall()
  const isGivenUp = doubtMs !== undefined && endsUnknown(doubtMs, rules)
  if (isGivenUp) return { ...GIVEN_UP, surelyOnce: isSurelyOnce(send, now, rules) }
  const unwanted = doubtMs === undefined ? unwantedNow(due, rules) : undefined
  if (unwanted) return unwanted
  // The send was recorded with another list of allowed recipients, perhaps before the database was copied.
  if (rules.allowedRecipients?.has(send.customer) === false)
    return { as: doubtMs === undefined ? 'ready' : 'attempting', at: now + LONGEST_WAIT_MS, ...FORBIDDEN }
  return undefined
}

function unwantedNow(due: DueSend, { clock, lease }: SendingRules): SendSettlement | undefined {
  const { send, silence } = due
  const part = send.part !== undefined && send.part.nth > 1 ? partAfter(due.before) : undefined
  if (part) return part
  const serviceNow = clock.service()
  if (send.expiresAt !== undefined && serviceNow >= send.expiresAt && !lease.mayBeAhead()) return TOO_LATE
  const unwanted = send.isMarketing ? unwantedMarketing(due, serviceNow) : undefined
  if (unwanted) return { as: 'skipped', ...unwanted }
  // The silence began while this reply waited. Replies of the handler that began the silence still go out (GEN-07).
  if (isInForce(silence, serviceNow) && silence.cause !== send.cause) return { as: 'skipped', ...silence.why }
  return undefined
}

const GIVEN_UP = {
  as: 'unknown',
  code: undefined,
  reason: 'an attempt was begun and its outcome is not known; it is not repeated any more, since it may have arrived',
} as const

const TOO_LATE: SendSettlement = {
  as: 'skipped',
  code: 'stale',
  reason: 'it would have come too late to be of use, so it was not sent',
}

export const FORBIDDEN = {
  code: 'recipient_not_allowed',
  reason:
    'this recipient is not in the list of allowed recipients, so it waits: add it to allowedRecipients or SWITCHHOOK_ALLOWED_RECIPIENTS',
} as const

/**
 * Chooses between text and template. The service decides about the window; our own knowledge only saves a request. The
 * template is sent first if the window is surely closed: the time of the last message is trusted, and no delivery is
 * unread. Otherwise the text is sent first, because its refusal costs nothing: a 409 is authoritative. Marketing goes
 * to many customers at once, so its template is sent first unless the window is known to be open.
 */
export function viaOf({ send, lastInboundAt, unread }: DueSend, { clock, lease, windowMs }: SendingRules): Via {
  if (send.via === 'template' || !send.fallback) return send.via
  const since = clock.service() - windowMs
  const isClosed = send.isMarketing
    ? lastInboundAt === undefined || lastInboundAt <= since
    : isSurelyClosed(since, { lastInboundAt, unread: unread || lease.mayBeAhead() })
  return isClosed ? 'template' : 'freeform'
}

/** How long a send is repeated after the first attempt whose outcome is unknown (IDEM-07). */
export const REPEAT_FOR_MS = 10 * 60_000

/** Returns true if a send whose outcome has been unknown for `doubtMs` is not repeated any more. */
export function endsUnknown(doubtMs: number, { onUnknown }: Pick<SendingRules, 'onUnknown'>): boolean {
  return onUnknown === 'hold' || doubtMs >= REPEAT_FOR_MS
}

const REMEMBERED_MS = 24 * 3_600_000

/** True if the service surely remembers the key since the first attempt: all copies are one message (IDEM-06). */
export function isSurelyOnce(
  { firstAttemptAt }: Pick<SendRow, 'firstAttemptAt'>,
  now: number,
  { keysRememberedFor }: Pick<SendingRules, 'keysRememberedFor'>,
): boolean {
  return keysRememberedFor === '24h' && now - (firstAttemptAt ?? now) < REMEMBERED_MS
}

/** The row as `beginSend` leaves it. */
export function attemptedRow(send: SendRow, via: Via, now: number): SendRow {
  const since = send.state === 'attempting' ? send.attemptingSince : undefined
  return {
    ...send,
    via,
    state: 'attempting',
    attempts: send.attempts + 1,
    firstAttemptAt: send.firstAttemptAt ?? now,
    attemptingSince: since ?? now,
  }
}

/** The row as `settleSend` leaves it, for callers that cannot wait for its commit. */
export function settledRow(send: SendRow, settlement: SendSettlement, now: number): SendRow {
  switch (settlement.as) {
    case 'accepted': {
      const { messageId, upstreamId, possiblyTwice } = settlement
      const ended = { state: 'accepted', code: undefined, reason: undefined, settledAt: now } as const
      return { ...send, ...ended, messageId, upstreamId, possiblyTwice }
    }
    case 'refused':
    case 'unknown':
    case 'skipped': {
      const { as: state, code, reason } = settlement
      const isRepeated = settlement.as === 'unknown' && settlement.surelyOnce !== true && send.attempts > 1
      return { ...send, state, code, reason, settledAt: now, possiblyTwice: send.possiblyTwice || isRepeated }
    }
    case 'ready':
    case 'attempting': {
      const { as: state, code, reason, at: nextAt } = settlement
      return { ...send, state, code, reason, nextAt }
    }
    case 'postponed': {
      // A stopped number shows its own code and reason on each send that waits for it.
      const { code, reason } = settlement
      const attempts = send.attempts - 1
      const firstAttemptAt = attempts === 0 ? undefined : send.firstAttemptAt
      return { ...send, state: 'held', code, reason, nextAt: AT_ONCE, attempts, firstAttemptAt }
    }
    case 'held':
      return { ...send, state: 'held', code: settlement.code, reason: settlement.reason }
    case 'fall_back':
      return { ...send, ...FIRST_STATE, via: 'template', nextAt: AT_ONCE }
    case 'not_begun':
      return send
  }
}

const FIRST_STATE = { state: 'ready', attempts: 0, firstAttemptAt: undefined, attemptingSince: undefined } as const
