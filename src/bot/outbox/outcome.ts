import { type Backoff, backoffMs, type Clock, type Random } from '../../base/clock.ts'
import type { ApiError } from '../../client/client.ts'
import type { MessageOut } from '../../service/answers.ts'
import {
  endsUnknown,
  isSurelyOnce,
  LONGEST_WAIT_MS,
  REPEAT_FOR_MS,
  type SendingRules,
  type SendSettlement,
} from '../../store/outbox/send-attempts.ts'
import {
  type Because,
  NOT_CLOSED,
  PROBE_EVERY_MS,
  type NumberThrottle,
  type ThrottleChange,
  WINDOW_CLOSED,
} from '../../store/outbox/send-rules.ts'
import type { SendRow } from '../../store/database/outbox-tables.ts'

/** How long a send that was certainly not sent is retried. After a day nobody waits for it. */
const TRY_FOR_MS = 24 * 3_600_000
/** `send_failed` may be final, so after this many attempts the send is refused. */
const CAUTIOUS_ATTEMPTS = 2
const CAUTIOUS_WAIT_MS = 2_000
const BACKOFF: Backoff = { firstMs: 1_000, longestMs: LONGEST_WAIT_MS, jitter: 'full' }

export type AttemptResult =
  | { readonly message: MessageOut; readonly replayed: boolean }
  | { readonly error: ApiError }
  | { readonly withoutToken: string }
  | { readonly unknown: string }

export interface OutcomeRules extends Pick<SendingRules, 'onUnknown' | 'keysRememberedFor'> {
  /** Wall time in ms. */
  readonly now: number
  readonly serviceNow: number
  /** How long ago the first attempt with an unknown outcome began. */
  readonly doubtMs: number
  readonly random: Random
}

/**
 * Decides what the result of one attempt means for its send. `inDoubt`: the outcome of an earlier attempt is unknown.
 * Then a refusal proves nothing about the earlier attempt: only a 200 settles the send, or it ends as `unknown`.
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
  if (why.code === WINDOW_CLOSED.code && send.via === 'freeform' && send.fallback) return { as: 'fall_back' }
  return notSent(send, result.error, rules)
}

export function whyOf(result: { error: ApiError } | { withoutToken: string }): Because {
  if ('withoutToken' in result) return { code: 'no_access_token', reason: result.withoutToken }
  return { code: result.error.code, reason: result.error.message }
}

/** True if a person must fix the token, the plan or the account before the number sends again (ERR-05). */
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
    // An id of another type is ignored: the send still succeeded.
    upstreamId: typeof message.wa_message_id === 'string' ? message.wa_message_id : undefined,
    possiblyTwice: send.possiblyTwice || (inDoubt && !replayed && !isSurelyOnce(send, rules.now, rules)),
    at: rules.serviceNow,
  }
}

function unknown(send: SendRow, why: Because, requestedMs: number, rules: OutcomeRules): SendSettlement {
  const { now, random, doubtMs } = rules
  if (endsUnknown(doubtMs, rules)) return { as: 'unknown', surelyOnce: isSurelyOnce(send, now, rules), ...why }
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

// ── doubts ──────────────────────────────────────────────────────────────────────────────────────────

/** Remembers when each send's outcome became unknown, by the monotonic clock, because a wall clock may jump. */
export function createDoubts(clock: Clock) {
  /** By send: when its outcome became unknown. Oldest first. */
  const since = new Map<string, number>()

  function note(id: string, ageMs: number): void {
    const now = clock.monotonic()
    since.set(id, now - ageMs)
    // Drop old entries: another process may have settled their sends.
    for (const [known, at] of since) {
      if (now - at <= 2 * REPEAT_FOR_MS) break
      since.delete(known)
    }
  }

  return {
    /** Call this at an attempt if the send has no earlier attempt with an unknown outcome. */
    begin: (id: string) => note(id, 0),
    /** Milliseconds since the first attempt with an unknown outcome, also if another process made it. */
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

/** So many failures in a row count as an outage. Then the number's sends wait, and one send probes for all. */
const OUTAGE_AFTER = 5
/** Half of the pause is random, so that two processes do not probe at the same moment. */
const PAUSE: Backoff = { firstMs: 1_000, longestMs: LONGEST_WAIT_MS, jitter: 'half' }

/**
 * Decides how an answer changes the throttle of its number; undefined if it does not. A refusal of one message shows
 * that the number works. A 429, or a wait that an answer requests, limits the number (SEND-22). A stop waits for a
 * person (ERR-05).
 */
export function throttleChangeOf(
  result: AttemptResult,
  { throttle, changedMeanwhile }: CurrentThrottle,
  /** `now`: wall time in ms. */
  rules: { readonly now: number; readonly random: Random },
): ThrottleChange | undefined {
  if ('unknown' in result) return undefined
  // Only an attempt that began after the throttle closed shows that the number works again.
  const sound = throttle === undefined || changedMeanwhile ? undefined : 'resumed'
  if ('message' in result) return sound
  const why = whyOf(result)
  if ('withoutToken' in result || result.error.rule.stops !== undefined)
    return { stopped: true, closedUntil: rules.now + PROBE_EVERY_MS, inARow: (throttle?.inARow ?? 0) + 1, ...why }
  if (result.error.rule.retry !== 'backoff') return sound
  if (throttle?.stopped) return { ...throttle, closedUntil: rules.now + PROBE_EVERY_MS }
  // The failures of simultaneous attempts count once. After them only a failed probe makes the pause longer.
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

/** Remembers how attempts of this process changed the throttles, so that parallel attempts know of each change. */
export function createThrottleChanges() {
  const last = new Map<string, { readonly throttle: NumberThrottle | undefined; readonly seenAt: number }>()
  let count = 0
  return {
    seenAt: () => count,
    /** Returns the throttle now, for an attempt that began with the throttle `known`, after `seenAt` changes. */
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
