import { isInForce, type Silence } from '../database/silence.ts'
import type { SendRow, SendState } from '../database/outbox-tables.ts'

/** Why a send has not gone out, or a number is stopped. */
export interface Because {
  readonly code: string | undefined
  readonly reason: string
}

export interface NumberThrottle extends Because {
  /** True if the service accepts nothing from this number until a person fixes the cause. False for a pause. */
  readonly stopped: boolean
  /**
   * Time until which nothing goes out, or `NOT_CLOSED` or `PROBE_NOW`. Then one send goes out as a probe, and another
   * one a minute later.
   */
  readonly closedUntil: number
  readonly inARow: number
}

export interface ClosedThrottle extends NumberThrottle {
  readonly number: string
  /** Wall time. */
  readonly since: number
}

/** A change of a throttle. `resumed`: all sends that waited for it go out. */
export type ThrottleChange = 'resumed' | NumberThrottle

export function isGoingOut(state: SendState): boolean {
  return state === 'ready' || state === 'attempting'
}

/**
 * Returns true if a send is shown as held. The state is not stored, so stopping and resuming a number writes no sends.
 */
export function isShownAsHeld(
  { state, withheld }: Pick<SendRow, 'state' | 'withheld'>,
  throttle: NumberThrottle | undefined,
): throttle is NumberThrottle {
  return throttle?.stopped === true && state === 'ready' && !withheld
}

export function isSurelyNotSent(state: SendState): boolean {
  return state === 'refused' || state === 'skipped' || state === 'cancelled'
}

/** The cause of each message that is not a reply. The app's own key is its slot, so one key is one message. */
export const APP_CAUSE = 'app'

/**
 * The beginning of the slots of messages that a person writes at the desk. The slot of an app's own key is a JSON list,
 * and never begins like this.
 */
export const BY_PERSON = 'person:'

export function isByPerson({ cause, slot }: { readonly cause: string; readonly slot: string }): boolean {
  return cause === APP_CAUSE && slot.startsWith(BY_PERSON)
}

/** The code of a later part that ended or waits because of the part before it. */
const EARLIER_PART = 'earlier_part'

const PART_HELD = {
  code: EARLIER_PART,
  reason:
    'the outcome of an earlier part of this message is not known: once somebody has settled that, this one follows',
} as const

export const PART_ENDED = {
  code: EARLIER_PART,
  reason: 'an earlier part of this message was not sent as a text',
} as const

export function followsPart({ state, code }: { readonly state: SendState; readonly code: string | null }): boolean {
  return code === EARLIER_PART && (state === 'held' || state === 'skipped')
}

/** Decides about a part. Returns undefined if it may go out: the part before it was accepted as a text. */
export function partAfter(
  before: Pick<SendRow, 'state' | 'via'> | undefined,
): { readonly as: 'held' | 'skipped'; readonly code: string; readonly reason: string } | undefined {
  if (!before || before.via === 'template') return { as: 'skipped', ...PART_ENDED }
  if (before.state === 'accepted') return undefined
  const ended = isSurelyNotSent(before.state) || before.state === 'dropped'
  return ended ? { as: 'skipped', ...PART_ENDED } : { as: 'held', ...PART_HELD }
}

/** Returns the body with another spelling of the customer's number. */
export function bodyTo(body: string, to: string): string {
  const send = JSON.parse(body) as { readonly to: string }
  return send.to === to ? body : JSON.stringify({ ...send, to })
}

export interface Asked {
  readonly customer: string
  readonly body: string
  /** Digest of the app's request; undefined if the body itself is the request. */
  readonly askedDigest: string | undefined
  readonly dueAt: number | undefined
}

interface Known extends Asked {
  readonly state: SendState
  readonly attempts: number
}

/**
 * The result of recording a send. `moved`: the app asked for another time; false if the send could not be moved to it.
 */
export type SendOpening =
  | { readonly found: 'new' | 'reopened'; readonly moved?: true | undefined }
  | { readonly found: 'known'; readonly diverged: boolean; readonly marks: boolean; readonly moved?: false | undefined }

/**
 * Decides how a send is recorded under a known or new key. The first attempt fixes the bytes. If a send surely did not
 * go out, a corrected body replaces it.
 */
export function openingOf(
  asked: Asked & { readonly moves?: boolean | undefined },
  known: Known | undefined,
): SendOpening {
  if (!known) return { found: 'new' }
  // A key means one message to one customer. If the app uses it for another customer, nothing is sent, and the caller
  // gets an error.
  if (known.customer !== asked.customer) return { found: 'known', diverged: true, marks: false }
  if (isSurelyNotSent(known.state)) return { found: 'reopened' }
  const moves = asked.moves === true && known.dueAt !== asked.dueAt
  if (moves && hasNotBegun(known)) return { found: 'reopened', moved: true }
  // Without a digest, the body is compared.
  const isOtherBody = () => known.body !== asked.body && bodyTo(known.body, '') !== bodyTo(asked.body, '')
  const diverged = known.askedDigest !== asked.askedDigest || (asked.askedDigest === undefined && isOtherBody())
  return { found: 'known', diverged, marks: diverged, ...(moves && { moved: false }) }
}

/** A send that a restore held counts as begun, because it may have gone out since the backup. */
function hasNotBegun({ state, attempts }: Known): boolean {
  return state === 'scheduled' || (state === 'ready' && attempts === 0)
}

export interface StartConditions {
  readonly restored: boolean
  readonly silence: Silence | undefined
  readonly repliedAt: number | undefined
  readonly optedOut: boolean
  readonly marketingAt: number | undefined
  readonly dueAt: number | undefined
  readonly lastInboundAt: number | undefined
  readonly unread: boolean
  readonly needsInboundSince: number | undefined
}

export interface SendStart {
  readonly state: Extract<SendState, 'ready' | 'scheduled' | 'held' | 'skipped' | 'refused'>
  readonly code?: string
  readonly reason?: string
}

export const RESTORED = {
  code: 'restored',
  reason: 'the database was brought back from a backup, and this may have gone out since it was taken',
} as const

/** The service uses this code too when it refuses a text outside the window. */
export const WINDOW_CLOSED = {
  code: 'outside_messaging_window',
  reason: "the customer's 24-hour window is closed, and there is no template for it: pass one as outsideWindow",
} as const

const OPTED_OUT = { code: 'opted_out', reason: 'the customer opted out of marketing, so it was not sent' } as const

export function unwantedMarketing(
  { optedOut, silence }: Pick<StartConditions, 'optedOut' | 'silence'>,
  at: number,
): { readonly code: string; readonly reason: string } | undefined {
  if (optedOut) return OPTED_OUT
  return isInForce(silence, at) ? silence.why : undefined
}

export function startOf(conditions: StartConditions): SendStart {
  const { restored, silence, repliedAt, optedOut, marketingAt, dueAt } = conditions
  if (restored) return { state: 'held', ...RESTORED }
  if (repliedAt !== undefined && isInForce(silence, repliedAt)) return { state: 'skipped', ...silence.why }
  const unwanted = marketingAt === undefined ? undefined : unwantedMarketing(conditions, marketingAt)
  // A scheduled send is checked again when it is due, because the silence may have ended by then.
  if (unwanted && (optedOut || dueAt === undefined)) return { state: 'skipped', ...unwanted }
  if (isSurelyClosed(conditions.needsInboundSince, conditions)) return { state: 'refused', ...WINDOW_CLOSED }
  return { state: dueAt === undefined ? 'ready' : 'scheduled' }
}

/** Returns true if the customer has surely not written since the service time `since`. */
export function isSurelyClosed(
  since: number | undefined,
  { lastInboundAt, unread }: Pick<StartConditions, 'lastInboundAt' | 'unread'>,
): boolean {
  return since !== undefined && lastInboundAt !== undefined && lastInboundAt <= since && !unread
}

export const NOT_CLOSED = 0
export const PROBE_NOW = 1

export const PROBE_EVERY_MS = 60_000

/**
 * Returns whether a throttle lets a send begin. `probe`: one send may begin after the pause, and no other send until
 * the probe is answered, or until `PROBE_EVERY_MS` have passed.
 */
export function mayBegin(throttle: NumberThrottle | undefined, now: number): 'yes' | 'no' | 'probe' {
  if (!throttle || throttle.closedUntil === NOT_CLOSED) return 'yes'
  return throttle.closedUntil > now ? 'no' : 'probe'
}

/**
 * Closes a throttle. Returns undefined if nothing changes. `seen`: the value of `inARow` when the attempt began. If
 * several processes fail at the same time, the trouble counts once: only a stop overrules a pause that is under way.
 */
export function closeThrottle(
  known: (NumberThrottle & Pick<ClosedThrottle, 'since'>) | undefined,
  closing: NumberThrottle,
  now: number,
  seen = known?.inARow ?? 0,
): (NumberThrottle & Pick<ClosedThrottle, 'since'>) | undefined {
  // A send that was under way when the number was stopped can only ask for a pause, and does not end the stop.
  if (known?.stopped && !closing.stopped) return undefined
  const changed = known !== undefined && known.inARow !== seen
  if (changed && known.closedUntil > NOT_CLOSED && !closing.stopped) return undefined
  const goesOn = known !== undefined && known.stopped === closing.stopped && known.closedUntil > NOT_CLOSED
  const inARow = changed ? Math.max(closing.inARow, known.inARow + 1) : closing.inARow
  return { ...closing, inARow, since: goesOn ? known.since : now }
}
