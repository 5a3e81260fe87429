import {
  type Begun,
  type Beginning,
  type CustomerOfNumber,
  DELIVERY_STATES,
  type DeliveryState,
  type Fence,
  ITEM_STATES,
  type ItemState,
  type Lease,
  type NewDelivery,
  type NewItem,
  type TakenOver,
} from './incoming.ts'

export type * from './incoming.ts'
export { numberOf, OWN_EVENTS, OWN_SUBSCRIPTION } from './incoming.ts'

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
  /** How it goes out; undefined if it has to wait for its turn. Asked within the commit, before the process is asked for room. */
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

interface Because {
  readonly code: string | undefined
  readonly reason: string
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
  | ({ readonly as: 'refused' | 'skipped' } & Because)
  /** `surelyOnce`: all its copies are one message, since the service remembers its key. */
  | ({ readonly as: 'unknown'; readonly surelyOnce?: boolean } & Because)
  /** No attempt was made, as its number is stopped: it does not count, and the send continues with its number. */
  | ({ readonly as: 'held' } & Because)
  /** Tried again at that wall time: `ready` if it is certain that nothing was sent, `attempting` if it is not. */
  | ({ readonly as: 'ready' | 'attempting'; readonly at: number } & Because)
  /** The free-form text was refused by the window: the template takes over, under its own key. */
  | { readonly as: 'fall_back' }
  /** Cancelled before the attempt began: its lane continues, and nothing else is to be done. */
  | { readonly as: 'gone' }

/** A number's throttle, as the answers of the service left it. */
export interface NumberThrottle extends Because {
  /** The service takes nothing from this number until somebody fixes it; otherwise it only asked for a pause. */
  readonly stopped: boolean
  /**
   * Wall time until which nothing goes out; then one send does, as a probe, and the next one a minute later. `OPEN` and
   * `PROBE_NOW` of the rules stand for no time.
   */
  readonly closedUntil: number
  readonly inARow: number
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
   * since, the attempt says nothing about now. Default: whatever it is now.
   */
  readonly seen?: number
}

/** A person's word on a send that the outbox does not, or should not, bring to an end automatically. */
export type Resolution = 'accepted' | 'resend' | 'drop'

export interface SendQuery {
  readonly state?: SendState | undefined
  readonly number?: string | undefined
  readonly customer?: string | undefined
  /** Only those that were recorded after this one. */
  readonly newerThan?: number
  readonly limit: number
  readonly after?: number | undefined
}

// ── announcements ───────────────────────────────────────────────────────────────────────────────────

export interface NewAnnouncement {
  readonly number: string
  /** The app's own key, by which a number has one such announcement. */
  readonly name: string
  /** As JSON; undefined if a function of the app makes it for each customer. */
  readonly content: string | undefined
  readonly outsideWindow: string | undefined
  /** The most messages per hour. */
  readonly perHour: number
  /** Service time before which nothing goes out. */
  readonly dueAt: number
  /** Wall time. */
  readonly createdAt: number
}

/** `storing`: its recipients are being stored. `done`: every recipient has an end. */
export type AnnouncementState = 'storing' | 'running' | 'paused' | 'cancelled' | 'done'

/** What became of a recipient. `failed`: refused, or its outcome is not known. */
export type RecipientEnd = 'sent' | 'failed' | 'opted_out' | 'taken_over'

export interface AnnouncementRow extends Omit<NewAnnouncement, 'dueAt'> {
  readonly id: number
  readonly state: AnnouncementState
  /** Why it was paused, if no person paused it. */
  readonly reason: string | undefined
  /** Service time at which it is checked next. */
  readonly nextAt: number
  readonly total: number
  readonly sent: number
  readonly failed: number
  readonly optedOut: number
  readonly takenOver: number
  /** Wall time. */
  readonly endedAt: number | undefined
}

export interface RecipientClaim extends Lease {
  readonly serviceNow: number
  /** The most recipients of an announcement on which nothing is under way. */
  readonly room: number
  /** `after`: the last recipient that was claimed, empty at the beginning. `room`: the most to claim now. */
  readonly worked: readonly { readonly id: number; readonly after: string; readonly room: number }[]
  /** Announcements whose content this process can make. */
  readonly functions: readonly number[]
  /** An opt-out on another number counts too. */
  readonly anyNumber: boolean
}

export interface EndedRecipient {
  readonly customer: string
  readonly end: RecipientEnd
}

// ── what people see ─────────────────────────────────────────────────────────────────────────────────

/** The state of a delivery as people see it: its own, or that of an item. `stored`: it waits, for ingest or for its turn. */
export type InboxState = DeliveryState | ItemState

export const INBOX_STATES: readonly InboxState[] = [...new Set([...ITEM_STATES, ...DELIVERY_STATES])]

export interface DeliveryQuery {
  readonly states?: readonly InboxState[] | undefined
  readonly event?: string | undefined
  readonly number?: string | undefined
  readonly customer?: string | undefined
  /** Wall time: those that came then or later. */
  readonly receivedFrom?: number | undefined
  /** Only those that were stored after this one. */
  readonly newerThan?: number
  readonly limit: number
  readonly after?: number | undefined
}

export interface DeliveryRow
  extends Pick<NewDelivery, 'subscription' | 'deliveryId' | 'event' | 'timestamp' | 'receivedAt' | 'clockOffset'> {
  readonly seq: number
  readonly state: DeliveryState
  readonly pending: boolean
  /** The first of those that resemble it: with its id, or with its signed bytes. */
  readonly resembles: number | undefined
  readonly repeats: number
  readonly note: string | undefined
  readonly hasBytes: boolean
  readonly items: readonly ItemRow[]
}

export interface ItemRow extends Pick<NewItem, 'idx' | 'kind' | 'number' | 'customer' | 'at'> {
  readonly id: number
  readonly state: ItemState
  readonly attempts: number
  /** Wall time of the next attempt. */
  readonly readyAt: number
  /** Items that wait behind this one, whose back-off blocks their lane. */
  readonly behind: number
  /** Undefined if it is handled alone. Not `sealed` while it is being gathered; with the deliveries of its items, by payload time. */
  readonly burst: { readonly sealed: boolean; readonly deliveries: readonly number[] } | undefined
  readonly reason: string | undefined
  /** Wall time since which it counts as new: of its ingest, or of a person's retry. */
  readonly createdAt: number
}

/** A delivery that was verified and understood, with its bytes. */
export interface RecordedDelivery {
  readonly seq: number
  readonly event: string
  readonly body: Uint8Array
  readonly deliveryId: string
  readonly subscription: string
  /** Service time, in milliseconds since the epoch. */
  readonly at: number
}

/** A glance counts no further than this. */
export const MOST_COUNTED = 10_000

export interface TimerRow extends CustomerOfNumber {
  readonly kind: string
  readonly name: string
  /** Service time. */
  readonly dueAt: number
}

/** A shape of payloads: paths and types, and nothing of a customer. */
export interface SeenShape {
  readonly event: string
  readonly fingerprint: string
  readonly paths: readonly string[]
  /** The paths are not all. */
  readonly truncated: boolean
  /** Wall time. */
  readonly lastAt: number
}

export interface NewShape {
  readonly event: string
  readonly fingerprint: string
  /** The event had no shape before. */
  readonly isFirst: boolean
  /** Paths that no other shape of the event has. */
  readonly gained: readonly string[]
  /** Paths that all other shapes of the event have. */
  readonly lost: readonly string[]
}

/** A fact that the app maps: its path, or `()` for a function. */
export interface MappedPath {
  readonly event: string
  readonly fact: string
  readonly path: string
}

// ── upkeep ──────────────────────────────────────────────────────────────────────────────────────────

/** Limits of one transaction of pruning. Times are wall time, in milliseconds. */
export interface Pruning {
  /** Bytes and facts of deliveries that arrived before this go. */
  readonly bytesBefore: number
  /** All else of deliveries that arrived before this goes; not later than `bytesBefore`. */
  readonly idsBefore: number
  readonly now: number
  /** Nothing is done if a pruning that was given such a time began after this one: of several processes one prunes. */
  readonly unlessSince?: number
  /** Deliveries looked at; a transaction may end earlier if they are large. */
  readonly limit: number
  /** The `next` of the last transaction; absent for the first. */
  readonly after?: PruneMark
}

export interface PruneMark {
  readonly stage: 'forgotten' | 'bytes' | 'rows' | 'sends' | 'strays' | 'customers' | 'conversations' | 'announcements'
  /** The last row of the stage that was read; empty at its beginning. */
  readonly at: readonly (number | string)[]
}

export interface Pruned {
  /** Deliveries whose bytes went. */
  readonly wiped: number
  readonly removed: number
  /** Where to continue; undefined if all was read. */
  readonly next: PruneMark | undefined
  /** The beginning of a later pruning than `unlessSince`, for which nothing was done. */
  readonly begunAt?: number
}

/** A database that was brought back from a backup, and whose sends were not let go since. */
export interface Restored {
  /**
   * `asked`: by the option `restored`. `noticed`: by its generation. `brought`: its file has no generation beside
   * it, or its server is another one than at its last opening. `earlier`: found so by an earlier opening.
   */
  readonly why: 'asked' | 'noticed' | 'brought' | 'earlier'
  readonly held: number
}

export interface Compacted {
  /**
   * All bytes and facts that were wiped are gone from the files; false while another process uses them; undefined if the
   * store promises nothing about its files.
   */
  readonly whole: boolean | undefined
  /** Bytes of SQLite's write-ahead log that remain beside the database. */
  readonly logBytes: number
}

/** The `cause` of a `store_unavailable` that an app's start fixes: the database has no schema yet, or an older one. */
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
