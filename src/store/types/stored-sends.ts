import type { TakenOver } from './stored-customers.ts'
import type { Beginning, Fence, Begun } from './lanes.ts'

/**
 * The states of a send:
 *
 * `scheduled` → `ready` → `attempting` (its key and bytes are stored; a byte may have left) → `accepted` | `refused` |
 * `unknown` (ten minutes of repeats brought no 200). Waiting besides: `held` (the database was brought back from a
 * backup; or the number is stopped, and then the row says `ready` and is shown as `held`). Ended besides: `skipped` (the
 * customer was taken over, or the send came too late), `cancelled`, `dropped` (a person settled it for good), `lost_code` (a
 * one-time code in the memory of a process that is gone).
 *
 * If a process finds a row `attempting` whose attempt it did not begin, the outcome of that send is not known: the send
 * is repeated with the same bytes and key. Only a 200 makes it `accepted`, and nothing makes it `refused` any more;
 * without a 200 it ends as `unknown`.
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

export type Via = 'freeform' | 'template'

export interface NewSend {
  readonly id: string
  readonly key: string
  readonly number: string
  readonly customer: string
  /** Begins with `NUMBER/CUSTOMER/`, or with `code/` for a one-time code. */
  readonly lane: string
  readonly cause: string
  readonly slot: string
  readonly ref: string | undefined
  /** The id of the delivery whose handler sends it, as people look for it; undefined for a send of the app's own. */
  readonly delivery?: string | undefined
  /** The span that recorded it, as W3C trace context; undefined without a tracer. */
  readonly trace?: string | undefined
  /** The exact bytes that go out; `via` says whether they are a template's. */
  readonly body: string
  /** The app's own request, if that is not the body: a rerun is compared by it. */
  readonly asked?: string | undefined
  readonly via: Via
  readonly fallback: { readonly key: string; readonly body: string } | undefined
  /** Wall time. */
  readonly createdAt: number
  /** Service time before which it does not go out; it then joins its lane behind the sends that wait there. */
  readonly dueAt?: number | undefined
  /** Service time from which on no first attempt at it begins any more. */
  readonly expiresAt?: number | undefined
  /** For a reply, which is not sent while this customer is taken over: the service time of asking. */
  readonly unlessTakenAt?: number | undefined
  /**
   * For marketing, which is sent neither to a customer who opted out nor while somebody else speaks to them: the service time
   * of asking. `anyNumber`: an opt-out on another number counts too.
   */
  readonly marketing?: { readonly at: number; readonly anyNumber: boolean } | undefined
  /**
   * The announcement that it belongs to. It is recorded only while that runs and its customer waits for it, and not again if a
   * person has cancelled it.
   */
  readonly announcement?: number | undefined
  /**
   * For a free-form message that goes out at once and has no fallback: the service time since which the customer must have
   * written. If they surely have not, it is refused when it is recorded.
   */
  readonly needsInboundSince?: number | undefined
  /**
   * Wall time until which its caller may wait for its end, as long as it is on its way; `A_RERUN_ASKS` for a handler, whose
   * rerun asks again after a crash. Undefined if nobody waits.
   */
  readonly awaitedUntil?: number | undefined
}

export interface SendRow
  extends Omit<NewSend, 'unlessTakenAt' | 'marketing' | 'announcement' | 'needsInboundSince' | 'asked'> {
  readonly state: SendState
  readonly attempts: number
  readonly firstAttemptAt: number | undefined
  /** Start of the earliest attempt whose outcome is unknown. While an attempt runs, this may be its own start. */
  readonly attemptingSince: number | undefined
  readonly nextAt: number
  readonly messageId: string | undefined
  readonly upstreamId: string | undefined
  /** The error's code of a send that was refused, held or is unknown; why it was skipped. */
  readonly code: string | undefined
  readonly reason: string | undefined
  readonly possiblyTwice: boolean
  readonly diverged: boolean
  readonly settledAt: number | undefined
  readonly isMarketing: boolean
  /** The body here is not the one that goes out, which holds a one-time code. */
  readonly withheld: boolean
}

/** Names a send: by its id, by its key, or by what a status names it, which is either id that the service gave. */
export type SendBy =
  | { readonly id: string }
  | { readonly key: string }
  | { readonly messageId?: string | undefined; readonly upstreamId?: string | undefined }

export interface BeginningSend extends Beginning {
  /**
   * Decides how it goes out; undefined if it has to wait for its turn. It is asked within the commit, before the
   * process is asked for room.
   */
  via(due: DueSend): Via | undefined
}

export interface OpenedSend {
  readonly send: SendRow
  /** `new`: stored now. `reopened`: surely not sent before, and its body replaced. `known`: recorded before. */
  readonly found: 'new' | 'reopened' | 'known'
  /** The bytes of a known send differ from those asked for now. */
  readonly diverged: boolean
  readonly begun?: Begun<DueSend>
}

/** A connection of the app's own to the database of the store, with a transaction open: a client of the package `pg`. */
export interface AppTransaction {
  // oxlint-disable-next-line typescript/no-explicit-any -- the package is optional, and so are its types
  query(query: any): Promise<any>
}

/**
 * A one-time code that is to go out. `known`: one is under way, or was accepted, under the app's own key; `used_up`: as
 * many were tried as may go out under it.
 */
export type OpenedCode =
  | { readonly found: 'new'; readonly send: SendRow; readonly fence: Fence }
  | { readonly found: 'known'; readonly send: SendRow }
  | { readonly found: 'used_up' }

/** A send that is due, with the facts that decide how it goes out. */
export interface DueSend {
  readonly send: SendRow
  /** Service time of the customer's last message, if it is known and trusted. */
  readonly lastInboundAt: number | undefined
  /** Deliveries are pending, so the window may have moved without our knowing. */
  readonly unread: boolean
  /** The number's throttle, if it was closed and this send is its probe, or if trouble was seen. */
  readonly throttle: NumberThrottle | undefined
  /** For a reply and for marketing: the last take-over of its customer, which may be over. */
  readonly takenOver: TakenOver | undefined
  /** It is marketing, and its customer has opted out. */
  readonly optedOut: boolean
  /** Its attempt has begun in the commit that recorded it: it is sent unchanged. */
  readonly begun?: boolean
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
  | { readonly as: 'refused' | 'skipped'; readonly code: string | undefined; readonly reason: string }
  /** `surelyOnce`: all its copies are one message, since the service remembers its key. */
  | {
      readonly as: 'unknown'
      readonly code: string | undefined
      readonly reason: string
      readonly surelyOnce?: boolean
    }
  /** No attempt was made, as its number is stopped: it does not count, and the send continues with its number. */
  | { readonly as: 'held'; readonly code: string | undefined; readonly reason: string }
  /** Tried again later: `ready` if it is certain that nothing was sent, `attempting` if it is not. */
  | {
      readonly as: 'ready' | 'attempting'
      /** Wall time. */
      readonly at: number
      readonly code: string | undefined
      readonly reason: string
    }
  /** The free-form text was refused by the window: the template takes over, under its own key. */
  | { readonly as: 'fall_back' }
  /** Cancelled before the attempt began: its lane continues, and nothing else is to be done. */
  | { readonly as: 'gone' }

/** A number's throttle, as the answers of the service left it. */
export interface NumberThrottle {
  /** The service takes nothing from this number until somebody fixes it; otherwise it only asked for a pause. */
  readonly stopped: boolean
  /**
   * Wall time until which nothing goes out; then one send does, as a probe, and the next one a minute later. `OPEN` and
   * `PROBE_NOW` of the rules stand for no time.
   */
  readonly closedUntil: number
  readonly inARow: number
  readonly code: string | undefined
  readonly reason: string
}

export interface ClosedThrottle extends NumberThrottle {
  readonly number: string
  /** Wall time at which it was closed in this way. */
  readonly since: number
}

/** The meaning of an answer for its number's throttle; `resumed` lets everything go that the throttle held. */
export type ThrottleChange = 'resumed' | NumberThrottle

export interface ThrottleMove {
  readonly number: string
  readonly move: ThrottleChange
  /**
   * `inARow` of the throttle as the attempt knew it, 0 if there was none. If another process has changed the throttle
   * since, the attempt says nothing about now: it neither ends a pause nor changes it. Default: whatever it is now.
   */
  readonly seen?: number
}
