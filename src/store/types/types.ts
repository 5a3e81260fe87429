import {
  type Begun,
  type Lease,
  DELIVERY_STATES,
  type DeliveryState,
  type Fence,
  ITEM_STATES,
  type ItemState,
  type NewDelivery,
  type NewItem,
} from './incoming.ts'
import type { CustomerOfNumber, TakenOver } from './waiting.ts'

export type * from './incoming.ts'
export type * from './waiting.ts'
export { numberOf, OWN_EVENTS, OWN_SUBSCRIPTION } from './incoming.ts'

/**
 * The states of a send:
 *
 * `scheduled` → `ready` → `attempting` (its key and bytes are stored; a byte may have left) → `accepted` | `refused` |
 * `unknown` (ten minutes of repeats brought no 200). Waiting besides: `held` (the database was brought back from a
 * backup; or an earlier part of the message is unknown; or the number is stopped, and then the row says `ready` and is
 * shown as `held`). Ended besides: `skipped` (the
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

/** Of a message that a person wrote. */
export interface ByPerson {
  readonly writer: string
  /** The newest inbox row of the customer that the writer saw. */
  readonly seen: number
}

/** `saw`: refused if the customer or another person has written since; undefined if they may have. */
export interface WritingPerson extends ByPerson {
  readonly saw?: { readonly message: number; readonly send: number } | undefined
  /** Service time: the person has the customer, if none has. */
  readonly takesOver?: { readonly since: number; readonly until: number }
}

/** Of a send, from its recording on. */
export interface SendFields {
  readonly id: string
  readonly key: string
  readonly number: string
  readonly customer: string
  /** Begins with `NUMBER/CUSTOMER/`: what is written for the send is locked by its customer. */
  readonly lane: string
  readonly cause: string
  readonly slot: string
  readonly ref: string | undefined
  /** The delivery whose handler sends it, as people look for it. */
  readonly delivery?: string | undefined
  /** The span that recorded it, as W3C trace context. */
  readonly trace?: string | undefined
  /** The exact bytes; `via` says whether they are a template's. */
  readonly body: string
  readonly via: Via
  /** The app's own ids of its options, if a tap names this send, and whether only the first tap counts. */
  readonly options?: { readonly ids: readonly string[]; readonly once: boolean } | undefined
  readonly fallback: { readonly key: string; readonly body: string } | undefined
  /** Wall time. */
  readonly createdAt: number
  /** Before this it does not go out; then it joins its lane behind the sends that wait. */
  readonly dueAt?: number | undefined
  /** From then on no first attempt begins. */
  readonly expiresAt?: number | undefined
  /** Until then its caller may wait for its end; `A_RERUN_ASKS` for a handler, whose rerun asks. Undefined: nobody waits. */
  readonly awaitedUntil?: number | undefined
  /** One of the parts of a message: the key of the first, and its place, from 1. */
  readonly part?: { readonly of: string; readonly nth: number } | undefined
}

export interface NewSend extends SendFields {
  /** The app's own request, if that is not the body: a rerun is compared by it. */
  readonly asked?: string | undefined
  /** Of asking, for a reply: it is not sent while this customer is taken over. */
  readonly unlessTakenAt?: number | undefined
  /** For marketing: when it was asked for, and whether an opt-out on another number counts. */
  readonly marketing?: { readonly at: number; readonly anyNumber: boolean } | undefined
  /** It is recorded only while this runs and its customer waits for it, and not again if a person has cancelled it. */
  readonly announcement?: number | undefined
  /** For a text without a fallback: it is refused at once if the customer has surely not written since that service time. */
  readonly needsInboundSince?: number | undefined
  /** The parts that follow this one, recorded in the same commit. */
  readonly later?: readonly NewSend[] | undefined
  /** Asked for with a time, under a key of the app's own: if it is another time, a send that has not begun is moved. */
  readonly moves?: boolean | undefined
  readonly byPerson?: WritingPerson | undefined
}

export interface SendRow extends SendFields {
  readonly byPerson?: ByPerson | undefined
  readonly state: SendState
  readonly attempts: number
  readonly firstAttemptAt: number | undefined
  /** Of the earliest attempt whose outcome is unknown, or of the one that runs. */
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
  /** The body here is not the real one, which has a one-time code. */
  readonly withheld: boolean
}

/** The last: what a status calls it, on this number or, if that is a shared subscription, on one of its numbers; default any. */
export type SendBy =
  | { readonly id: string }
  | { readonly key: string }
  | { readonly messageId?: string | undefined; readonly upstreamId?: string | undefined; readonly number?: string }

export interface BeginningSend extends Lease {
  /** Undefined if it has to wait. */
  via(due: DueSend): Via | undefined
}

export interface OpenedSend {
  readonly send: SendRow
  /** `reopened`: surely not sent before, and its body replaced. */
  readonly found: 'new' | 'reopened' | 'known'
  /** The recorded bytes differ from those asked for now. */
  readonly diverged: boolean
  readonly begun?: Begun<DueSend>
  /** False if it was asked for with another time, and could not be moved to it. */
  readonly moved?: boolean | undefined
  /** The parts that follow it. */
  readonly later: readonly SendRow[]
}

/** A client of the package `pg` with a transaction open, on the store's database. */
export interface AppTransaction {
  // oxlint-disable-next-line typescript/no-explicit-any -- the package is optional, and so are its types
  query(query: any): Promise<any>
}

/** `known`: one is under way, or was accepted. `used_up`: as many were tried as may go out under its key. */
export type OpenedCode =
  | { readonly found: 'new'; readonly send: SendRow; readonly fence: Fence }
  | { readonly found: 'known'; readonly send: SendRow }
  | { readonly found: 'used_up' }

/** With the conditions that decide how it goes out. */
export interface DueSend {
  readonly send: SendRow
  /** If it is trusted. */
  readonly lastInboundAt: number | undefined
  /** Deliveries of its number are unread, so the window may have moved. */
  readonly unread: boolean
  /** If it was closed and this is its probe, or if trouble was seen. */
  readonly throttle: NumberThrottle | undefined
  /** For a reply and for marketing: the last take-over, which may be over. */
  readonly takenOver: TakenOver | undefined
  /** For marketing alone. */
  readonly optedOut: boolean
  /** For a later part of a message: the part before it, if that is still stored. */
  readonly before?: Pick<SendRow, 'state' | 'via'> | undefined
  /** In the commit that recorded the send: it goes out unchanged. */
  readonly attemptRecorded?: boolean
}

/** Why a send has not gone out, or a number is stopped. */
export interface Because {
  readonly code: string | undefined
  readonly reason: string
}

export type SendSettlement =
  | {
      readonly as: 'accepted'
      readonly messageId: string
      readonly upstreamId: string | undefined
      readonly possiblyTwice: boolean
      readonly at?: number
    }
  | ({ readonly as: 'refused' | 'skipped' } & Because)
  /** `surelyOnce`: the service remembers its key. */
  | ({ readonly as: 'unknown'; readonly surelyOnce?: boolean } & Because)
  /** Its number is stopped, and it is shown as held: no attempt counts, and it continues with the number. */
  | ({ readonly as: 'postponed' } & Because)
  /** A later part, held until the part before it has ended. */
  | ({ readonly as: 'waits' } & Because)
  /** Tried again at that wall time: `ready` if surely nothing was sent. */
  | ({ readonly as: 'ready' | 'attempting'; readonly at: number } & Because)
  /** The window is closed: the template follows, under its own key. */
  | { readonly as: 'fall_back' }
  /** Claimed, and given back before an attempt. */
  | { readonly as: 'not_begun' }

export interface NumberThrottle extends Because {
  /** The service accepts nothing from this number until somebody fixes it; else it only asked for a pause. */
  readonly stopped: boolean
  /** Nothing goes out until then; then one send as a probe, and the next a minute later. See `NOT_CLOSED`, `PROBE_NOW`. */
  readonly closedUntil: number
  readonly inARow: number
}

export interface ClosedThrottle extends NumberThrottle {
  readonly number: string
  /** Wall time. */
  readonly since: number
}

/** `resumed`: all that waited for the throttle goes out. */
export type ThrottleChange = 'resumed' | NumberThrottle

export interface ThrottleMove {
  readonly number: string
  readonly move: ThrottleChange
  /** `inARow` as the attempt knew it, 0 if there was none: if another process has changed it, the attempt changes nothing. */
  readonly seen?: number
}

export type Resolution = 'accepted' | 'resend' | 'drop'

export interface SendQuery {
  readonly state?: SendState | undefined
  readonly number?: string | undefined
  readonly customer?: string | undefined
  /** Recorded after this one. */
  readonly newerThan?: number
  readonly limit: number
  readonly after?: number | undefined
}

// ── what people see ─────────────────────────────────────────────────────────────────────────────────

/** As people see it: of the delivery, or of an item. */
export type InboxState = DeliveryState | ItemState

export const INBOX_STATES: readonly InboxState[] = [...new Set([...ITEM_STATES, ...DELIVERY_STATES])]

export interface DeliveryQuery {
  readonly states?: readonly InboxState[] | undefined
  readonly event?: string | undefined
  readonly number?: string | undefined
  readonly customer?: string | undefined
  readonly receivedFrom?: number | undefined
  /** Stored after this one. */
  readonly newerThan?: number
  readonly limit: number
  readonly after?: number | undefined
}

export interface DeliveryRow
  extends Pick<NewDelivery, 'subscription' | 'deliveryId' | 'event' | 'timestamp' | 'receivedAt' | 'clockOffset'> {
  readonly seq: number
  readonly state: DeliveryState
  readonly pending: boolean
  /** The first with its id, or with its signed bytes. */
  readonly resembles: number | undefined
  readonly repeats: number
  readonly note: string | undefined
  readonly hasBytes: boolean
  readonly items: readonly ItemRow[]
}

export interface ItemRow extends Pick<NewItem, 'idx' | 'kind' | 'number' | 'customer' | 'at'> {
  readonly id: number
  readonly state: ItemState
  /** Undefined once it is settled: the count is deleted with its work row. */
  readonly attempts: number | undefined
  /** Of the next attempt. */
  readonly readyAt: number
  /** Waiting items of a lane that this one's back-off blocks. */
  readonly behind: number
  /** Undefined if handled alone. Not `sealed` while it is gathered. */
  readonly burst: { readonly sealed: boolean; readonly deliveries: readonly number[] } | undefined
  readonly reason: string | undefined
  /** Of its ingest, or of a person's retry. */
  readonly createdAt: number
}

/** Verified and understood, with its bytes. */
export interface RecordedDelivery {
  readonly seq: number
  readonly event: string
  readonly body: Uint8Array
  readonly deliveryId: string
  readonly subscription: string
  readonly at: number
  /** Of its first message, as stored. */
  readonly facts?: string | null
}

/** Of an SQLite database: the sizes of its file and its write-ahead log. */
export interface OnDisk {
  readonly bytes: number
  readonly logBytes: number
  /** Wall time of the last backup by Switchhook; undefined if there was none. */
  readonly backedUpAt: number | undefined
}

/** A glance counts no further than this. */
export const MOST_COUNTED = 10_000

export interface TimerRow extends CustomerOfNumber {
  readonly kind: string
  readonly name: string
  readonly dueAt: number
}

/** By `name/language`. */
export type TemplateCategories = Readonly<Record<string, string>>

/** `path` is `()` for a function. */
export interface MappedPath {
  readonly event: string
  readonly fact: string
  readonly path: string
}

// ── upkeep ──────────────────────────────────────────────────────────────────────────────────────────

/** Limits of one transaction. */
export interface Pruning {
  readonly bytesBefore: number
  /** Not later than `bytesBefore`. */
  readonly idsBefore: number
  readonly now: number
  /** Nothing is done if another process has begun a pruning by the same retention after this. */
  readonly unlessSince?: number
  /** Deliveries in a transaction, which may end earlier. */
  readonly limit: number
  readonly after?: PruneMark
}

export interface PruneMark {
  readonly stage:
    | 'forgotten'
    | 'bytes'
    | 'rows'
    | 'sends'
    | 'strays'
    | 'customers'
    | 'people'
    | 'conversations'
    | 'announcements'
  /** The last row that was read; empty at the beginning. */
  readonly at: readonly (number | string)[]
}

export interface Pruned {
  readonly wiped: number
  readonly removed: number
  /** Statuses of messages that this store does not know. */
  readonly strays: number
  /** Undefined if all was read. */
  readonly next: PruneMark | undefined
  /** Of a later pruning than `unlessSince`: nothing was done. */
  readonly begunAt?: number
}

export interface Restored {
  /** `noticed`: by its generation. `brought`: without one, or to another server. `earlier`: found by an earlier opening. */
  readonly why: 'asked' | 'noticed' | 'brought' | 'earlier'
  readonly held: number
}

export interface Compacted {
  /** Wiped data is gone from the files; false while another process uses them; undefined: nothing is promised. */
  readonly whole: boolean | undefined
  /** Of the write-ahead log that remains. */
  readonly logBytes: number
}

/** The cause of a `store_unavailable` that an app's start fixes. */
export class NotUpToDate extends Error {
  constructor() {
    super('it is none of this library’s, or of an older release: the app brings it up to date as it starts')
  }
}

export interface CopiedTable {
  readonly name: string
  readonly columns: readonly { readonly name: string; readonly type: 'INTEGER' | 'TEXT' | 'BLOB' }[]
  portions(): Iterable<readonly CopiedRow[]>
}

export type CopiedRow = readonly (number | string | Uint8Array | null)[]

/** A bot or another process works on the database, or has worked there. */
export class InUse extends Error {}
