import { type Backoff, backoffMs, type Clock, type Random } from '../../base/clock.ts'
import type { ApiError } from '../../client/client.ts'
import type { MessageOut } from '../../service/contract.ts'
import { AT_ONCE } from '../../store/rules/items.ts'
import { NOT_CLOSED, PROBE_EVERY_MS, type NumberThrottle, type ThrottleChange } from '../../store/rules/sends.ts'
import type { SendSettlement } from '../../store/outbox/settle.ts'
import type { SendRow } from '../../store/tables/outbox-tables.ts'

/** How long a send that was certainly not sent is retried. After a day nobody waits for it. */
const TRY_FOR_MS = 24 * 3_600_000
/** `send_failed` may be final, so after this many attempts the send is refused. */
const CAUTIOUS_ATTEMPTS = 2
const CAUTIOUS_WAIT_MS = 2_000
/** The longest wait before a send's next attempt, and before a number's next probe, whatever an answer requests. */
export const LONGEST_WAIT_MS = 60_000
const BACKOFF: Backoff = { firstMs: 1_000, longestMs: LONGEST_WAIT_MS, jitter: 'full' }

/** The result of an attempt: an acceptance, a refusal or no answer of the service, or an attempt without a token. */
export type AttemptResult =
  | { readonly message: MessageOut; readonly replayed: boolean }
  | { readonly error: ApiError }
  | { readonly withoutToken: string }
  | { readonly unknown: string }

export interface Why {
  readonly code: string | undefined
  readonly reason: string
}

export interface OutcomeRules {
  /** Wall time in ms. */
  readonly now: number
  readonly serviceNow: number
  /** How long ago the first attempt with an unknown outcome began: see `Doubts`. */
  readonly doubtMs: number
  readonly random: () => number
  readonly onUnknown: 'repeat' | 'hold'
  readonly keysRememberedFor: KeysRememberedFor
}

/**
 * Decides what the result of one attempt means for its send. `inDoubt`: the outcome of an earlier attempt is unknown.
 * Then a refusal only means that the repeat was not sent: the send is accepted by a 200, or ends as `unknown`.
 */
export function decideSend(
  send: SendRow,
  inDoubt: boolean,
  result: AttemptResult,
  rules: OutcomeRules,
): SendSettlement {
  if ('message' in result) return accepted(send, inDoubt, result, rules)
  if ('unknown' in result) return unknown(send, { code: undefined, reason: result.unknown }, 0, rules)
  const why = whyOf(result)
  if (inDoubt) return unknown(send, why, requestedWaitMs(result), rules)
  if ('withoutToken' in result) return { as: 'postponed', ...why }
  if (result.error.outcome === 'unknown') return unknown(send, why, requestedWaitMs(result), rules)
  if (isOutsideWindow(why) && send.via === 'freeform' && send.fallback) return { as: 'fall_back' }
  return notSent(send, result.error, rules)
}

export function whyOf(result: { error: ApiError } | { withoutToken: string }): Why {
  if ('withoutToken' in result) return { code: 'no_access_token', reason: result.withoutToken }
  return { code: result.error.code, reason: result.error.message }
}

/**
 * Tells whether a result stops all sends of its number until a person fixes the token, the plan or the account
 * (ERR-05).
 */
export function stopsNumber(result: AttemptResult): boolean {
  return 'withoutToken' in result || ('error' in result && result.error.rule.stops !== undefined)
}

/** The wait that an answer requests by `Retry-After`. The service sends none today, but a proxy may. */
function requestedWaitMs(result: { error: ApiError } | { withoutToken: string }): number {
  return 'error' in result ? Math.min(result.error.retryAfterMs ?? 0, LONGEST_WAIT_MS) : 0
}

function accepted(
  send: SendRow,
  inDoubt: boolean,
  { message, replayed }: { message: MessageOut; replayed: boolean },
  rules: OutcomeRules,
): SendSettlement {
  return {
    as: 'accepted',
    messageId: message.id,
    // Ignore an undocumented field of another type: the send still succeeded.
    upstreamId: typeof message.wa_message_id === 'string' ? message.wa_message_id : undefined,
    possiblyTwice: send.possiblyTwice || (inDoubt && !replayed && !isSurelyOnce(send, rules)),
    at: rules.serviceNow,
  }
}

/** The message may have arrived, so only the same bytes under the same key may be sent. */
function unknown(send: SendRow, why: Why, requestedMs: number, rules: OutcomeRules): SendSettlement {
  const { now, random, doubtMs } = rules
  if (rules.onUnknown === 'hold' || doubtMs >= REPEAT_FOR_MS)
    return { as: 'unknown', surelyOnce: isSurelyOnce(send, rules), ...why }
  return { as: 'attempting', at: now + Math.max(requestedMs, backoffMs(send.attempts, BACKOFF, random)), ...why }
}

function notSent(send: SendRow, error: ApiError, { now, random }: OutcomeRules): SendSettlement {
  const why = whyOf({ error })
  const { stops, retry } = error.rule
  if (stops !== undefined) return { as: 'postponed', ...why }
  const tooOld = now - (send.firstAttemptAt ?? now) >= TRY_FOR_MS
  if (retry === 'no' || tooOld) return { as: 'refused', ...why }
  if (retry === 'cautious' && send.attempts >= CAUTIOUS_ATTEMPTS) return { as: 'refused', ...why }
  const atLeast = retry === 'cautious' ? CAUTIOUS_WAIT_MS : 0
  const wait = Math.max(requestedWaitMs({ error }), atLeast + backoffMs(send.attempts, BACKOFF, random))
  return { as: 'ready', at: now + wait, ...why }
}

export function isOutsideWindow(error: { code: string | undefined }): boolean {
  return error.code === 'outside_messaging_window'
}

/** The row of a send as `settleSend` leaves it, for display. */
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
    case 'waits':
      return { ...send, state: 'held', code: settlement.code, reason: settlement.reason }
    case 'fall_back':
      return { ...send, ...FIRST_STATE, via: 'template', nextAt: AT_ONCE }
    case 'not_begun':
      return send
  }
}

const FIRST_STATE = { state: 'ready', attempts: 0, firstAttemptAt: undefined, attemptingSince: undefined } as const

// ── doubts ──────────────────────────────────────────────────────────────────────────────────────────

/** How long a send with an unknown outcome is repeated, from the first attempt in doubt (IDEM-07). */
export const REPEAT_FOR_MS = 10 * 60_000

/** How long the service remembers a key after its first use. The specification is ambiguous. */
export type KeysRememberedFor = '24h' | 'until_settled'

const REMEMBERED_MS = 24 * 3_600_000

/**
 * Tells whether all copies under a key surely count as one message: keys must be remembered as long as the setting
 * states (IDEM-06).
 */
export function isSurelyOnce(
  { firstAttemptAt }: Pick<SendRow, 'firstAttemptAt'>,
  { now, keysRememberedFor }: { readonly now: number; readonly keysRememberedFor: KeysRememberedFor },
): boolean {
  return keysRememberedFor === '24h' && now - (firstAttemptAt ?? now) < REMEMBERED_MS
}

/**
 * The beginning of each doubt, by the monotonic clock: a wall clock that jumps ahead must not end a send that the
 * service would still accept.
 */
export function createDoubts(clock: Clock) {
  /** Sends by the beginning of their doubt, oldest first. */
  const since = new Map<string, number>()

  function note(id: string, ageMs: number): void {
    const now = clock.monotonic()
    since.set(id, now - ageMs)
    // Remove old entries: another process may have settled the sends.
    for (const [known, at] of since) {
      if (now - at <= 2 * REPEAT_FOR_MS) break
      since.delete(known)
    }
  }

  return {
    /** Call this at an attempt of a send that is not in doubt yet. */
    begin: (id: string) => note(id, 0),
    /** Milliseconds since the first attempt with an unknown outcome. Read from the row if another process began it. */
    ageOf({ id, attemptingSince }: Pick<SendRow, 'id' | 'attemptingSince'>): number {
      const now = clock.wall()
      const known = since.get(id)
      if (known !== undefined) return clock.monotonic() - known
      const age = Math.max(0, now - (attemptingSince ?? now))
      note(id, age)
      return age
    },
    end: (id: string) => void since.delete(id),
  }
}

/**
 * The number of failures in a row that count as an outage. During an outage the number's sends wait, and one send tests
 * for all.
 */
const OUTAGE_AFTER = 5
/** Half of the pause is random, so that two processes do not probe at the same moment. */
const PAUSE: Backoff = { firstMs: 1_000, longestMs: LONGEST_WAIT_MS, jitter: 'half' }

/**
 * Decides how an answer changes the throttle of its number; undefined if it does not. A refusal that only concerns its
 * own send shows that the number works. A 429 limits the number and not the request (SEND-22), and so does a wait that
 * an answer requests. A stop waits for a person, and its probes use up no attempts (ERR-05).
 */
export function throttleChangeOf(
  result: AttemptResult,
  { throttle, changedMeanwhile }: CurrentThrottle,
  /** `now`: wall time in ms. */
  rules: { readonly now: number; readonly random: Random },
): ThrottleChange | undefined {
  if ('unknown' in result) return undefined
  // Trust only an attempt that began after the throttle closed: an earlier attempt does not show the present state.
  const sound = throttle === undefined || changedMeanwhile ? undefined : 'resumed'
  if ('message' in result) return sound
  const why = whyOf(result)
  if ('withoutToken' in result || result.error.rule.stops !== undefined)
    return { stopped: true, closedUntil: rules.now + PROBE_EVERY_MS, inARow: (throttle?.inARow ?? 0) + 1, ...why }
  if (result.error.rule.retry !== 'backoff') return sound
  if (throttle?.stopped) return { ...throttle, closedUntil: rules.now + PROBE_EVERY_MS }
  // A failure of many simultaneous attempts counts once: only a failed probe makes the pause longer.
  if (changedMeanwhile && throttle !== undefined && throttle.closedUntil > NOT_CLOSED) return undefined
  const inARow = (throttle?.inARow ?? 0) + 1
  const times = result.error.status === 429 ? inARow : inARow - OUTAGE_AFTER + 1
  const wait = Math.max(requestedWaitMs(result), times > 0 ? backoffMs(times, PAUSE, rules.random) : 0)
  return { stopped: false, closedUntil: wait > 0 ? rules.now + wait : NOT_CLOSED, inARow, ...why }
}

interface CurrentThrottle {
  readonly throttle: NumberThrottle | undefined
  /** True if another attempt has changed the throttle since this attempt began. */
  readonly changedMeanwhile: boolean
}

/** The changes that attempts of this process made to throttles, so that parallel attempts learn from each other. */
export function createThrottleChanges() {
  const last = new Map<string, { readonly throttle: NumberThrottle | undefined; readonly seenAt: number }>()
  let count = 0
  return {
    seenAt: () => count,
    /**
     * Returns the throttle for an attempt that saw it at `seenAt`, when it was `known`. `seenAt` counts changes, not
     * time.
     */
    current(number: string, known: NumberThrottle | undefined, seenAt: number): CurrentThrottle {
      const change = last.get(number)
      if (change === undefined || change.seenAt <= seenAt) return { throttle: known, changedMeanwhile: false }
      return { throttle: change.throttle, changedMeanwhile: true }
    },
    add(number: string, change: ThrottleChange) {
      last.set(number, { throttle: change === 'resumed' ? undefined : change, seenAt: ++count })
    },
  }
}
