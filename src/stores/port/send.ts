import type { Fence } from './lane.ts'

/**
 * The states of a send:
 *
 * `scheduled` → `ready` → `attempting` (its key and bytes are stored; a byte may have left) → `accepted` | `refused` |
 * `unknown` (ten minutes of repeats brought no answer). Waiting besides: `held` (the number's queue is stopped, or the
 * database was brought back from a backup). Ended besides: `skipped` (the bot was silent, or it came too late),
 * `cancelled`, `dropped` (a person settled it for good), `lost_code` (a one-time code that was in the memory of a process
 * that is gone).
 *
 * A row found `attempting` by who did not begin that attempt is a send whose outcome is unknown: it is
 * repeated with the same bytes and key, and only a 200 settles it.
 */
export const SEND_STATES = [
  'scheduled',
  'ready',
  'attempting',
  'held',
  'accepted',
  'refused',
  'unknown',
  'skipped',
  'cancelled',
  'dropped',
  'lost_code',
] as const

export type SendState = (typeof SEND_STATES)[number]

/** Its attempts go on by themselves: nobody has to do anything for it. */
export function isGoingOut(state: SendState): boolean {
  return state === 'ready' || state === 'attempting'
}

/** It ended, and certainly without a byte that the service took: asked for again, it goes out under the same key. */
export function isSurelyNotSent(state: SendState): boolean {
  return state === 'refused' || state === 'skipped' || state === 'cancelled'
}

export type Via = 'freeform' | 'template'

export interface NewSend {
  readonly id: string
  readonly key: string
  readonly number: string
  readonly customer: string
  readonly lane: string
  readonly cause: string
  readonly slot: string
  readonly ref: string | undefined
  /** The exact bytes that go out, and whether they are a template's. */
  readonly body: string
  /** What the app asked for, by which a rerun is compared, where that is not the body. */
  readonly asked?: string | undefined
  readonly via: Via
  readonly fallback: { readonly key: string; readonly body: string } | undefined
  /** Wall time. */
  readonly createdAt: number
  /** Service time before which it does not go out; it then joins its lane behind those that wait. */
  readonly dueAt?: number | undefined
  /** Service time from which on no first attempt at it begins any more. */
  readonly expiresAt?: number | undefined
  /** A reply, which is not sent while the bot is silent for this customer; the time is service time. */
  readonly unlessMutedAt?: number | undefined
}

export interface SendRow extends Omit<NewSend, 'unlessSilentAt' | 'asked'> {
  /** A digest of what the app asked for. */
  readonly asked: string | undefined
  readonly state: SendState
  readonly attempts: number
  readonly firstAttemptAt: number | undefined
  /** When the first attempt began that may have gone out and of which nobody knows; while one runs, perhaps that one. */
  readonly attemptingSince: number | undefined
  readonly nextAt: number
  readonly messageId: string | undefined
  readonly upstreamId: string | undefined
  /** The error's code where it was refused, held or is unknown; why it was skipped. */
  readonly code: string | undefined
  readonly reason: string | undefined
  readonly possiblyTwice: boolean
  readonly diverged: boolean
  readonly settledAt: number | undefined
  /** The body here is not the one that goes out, which holds a one-time code. */
  readonly withheld: boolean
  /** A reply, which is not sent while the bot is silent for its customer. */
  readonly unlessMuted: boolean
}

/** What `open` found: a send of its own, or an earlier one under the same key. */
export interface OpenedSend {
  readonly send: SendRow
  /** `new`: stored now. `reopened`: surely not sent before, and its body replaced. `known`: recorded before. */
  readonly found: 'new' | 'reopened' | 'known'
  /** Whether a known send's bytes differ from those asked for now. */
  readonly diverged: boolean
}

/**
 * A one-time code that is to go out. `known`: one is under way, or was accepted, under the app's own key; `used_up`:
 * so many were tried that no other goes out under it.
 */
export type OpenedCode =
  | { readonly found: 'new'; readonly send: SendRow; readonly fence: Fence }
  | { readonly found: 'known'; readonly send: SendRow }
  | { readonly found: 'used_up' }

/** What is needed to decide how a send goes out. */
export interface DueSend {
  readonly send: SendRow
  /** Service time of the customer's last message, where it is known and trusted. */
  readonly lastInboundAt: number | undefined
  /** Whether deliveries wait unread, so that the window may have moved without our knowing. */
  readonly unread: boolean
  /** The number's queue, where it was closed and this send is its probe, or where trouble was seen. */
  readonly throttle: NumberThrottle | undefined
  /** For a reply alone: the last silence of its customer, which may be over. */
  readonly mute: Mute | undefined
}

export type SendSettlement =
  | {
      readonly as: 'accepted'
      readonly messageId: string
      readonly upstreamId: string | undefined
      readonly possiblyTwice: boolean
      /** Service time. */
      readonly at?: number
    }
  | { readonly as: 'refused' | 'unknown' | 'skipped'; readonly code: string | undefined; readonly reason: string }
  /** The number's queue is stopped: it uses up no attempt, and goes on with the queue. */
  | { readonly as: 'held'; readonly code: string | undefined; readonly reason: string }
  /** Tried again later: `ready` where it is certain that nothing was sent, `attempting` where it is not. */
  | {
      readonly as: 'ready' | 'attempting'
      /** Wall time. */
      readonly at: number
      readonly code: string | undefined
      readonly reason: string
    }
  /** The free-form was refused by the window: the template takes over, under its own key. */
  | { readonly as: 'fall_back' }
  /** Cancelled before the attempt began: its lane goes on, and nothing else is to be done. */
  | { readonly as: 'gone' }

/** A number's queue, as the answers of the service left it. */
export interface NumberThrottle {
  /** The service takes nothing from this number until somebody mends it; else it only asked for a pause. */
  readonly stopped: boolean
  /** Wall time until which nothing goes out; then one send does, as a probe, and the next a minute later. */
  readonly closedUntil: number
  /** How many answers in a row spoke of trouble. */
  readonly inARow: number
  readonly code: string | undefined
  readonly reason: string
}

/** A queue of which nothing goes out but a probe now and then. */
export interface ClosedThrottle extends NumberThrottle {
  readonly number: string
  /** Wall time at which it was closed in this way. */
  readonly since: number
}

/** How often a closed queue is probed once its pause is over. */
export const PROBE_EVERY_MS = 60_000

/** What an answer means for the number's queue; `open` lets everything that it held go. */
export type ThrottleChange = 'resumed' | NumberThrottle

/** Who is not replied to: `agent` where the customer typed BOT, `handed_over` where a person took over. */
export interface Mute {
  readonly number: string
  readonly customer: string
  readonly why: 'agent' | 'handed_over'
  /** Service time. */
  readonly since: number
  readonly until: number
}

/** What is known of who speaks to a customer: the bot, or somebody else for a while. Service time. */
export interface TakeoverState {
  readonly mute: Mute | undefined
  /** The last send to this customer that the service took. */
  readonly lastSentAt: number | undefined
}
