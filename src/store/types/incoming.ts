// Times are milliseconds since the epoch. Those named `at`, `since`, `until`, `dueAt`, `remindAt`, `expiresAt`, `readAt` and
// `last…` are service time, and all others wall time, where nothing else is said.

import type { CustomerOfNumber, NewTakeover, TakenOver, WaitingReason } from './waiting.ts'

export type Work = 'items' | 'sends' | 'announcements' | 'erasure'
export type Counts = Readonly<Record<string, number>>

export interface Commit {
  readonly operations: number
  /** Until it was on disk. */
  readonly durationMs: number
}

// ── lanes and leases ────────────────────────────────────────────────────────────────────────────────

/** The key of a lane begins with the name of its number, which has no slash. */
export function numberOf(lane: string): string {
  return lane.slice(0, lane.indexOf('/'))
}

/** One run of an item or a send. Checked in the transaction of each effect: that of an earlier run changes nothing. */
export interface Fence {
  readonly lane: string
  /** The item, or the id of the send. */
  readonly of: number | string
  /** The number of the process that runs it, which has the lease. */
  readonly owner: number
  /** Rises with each begin. */
  readonly run: number
}

/** Room for lanes in a process, while several numbers share it. */
export interface SharedRoom {
  /** So many more lanes may begin. */
  readonly free: number
  /** The lanes of each number that have room. */
  readonly taken: ReadonlyMap<string, number>
}

export interface Lease {
  /** No other process ever has this name. */
  readonly processName: string
  readonly now: number
  readonly leaseMs: number
  /** Undefined if all processes have the clock of a server. */
  readonly others?: Others | undefined
}

/** What a process has seen of the clocks of others. */
export interface Others {
  /** Leases that seem to have ended long ago, by the numbers of their processes; `since` when they were last renewed. */
  readonly lapsed: Map<number, { readonly until: number; readonly since: number; readonly isRenewed: boolean }>
  /** One had a lease that this clock cannot have given. */
  ahead?: boolean | undefined
}

export interface Claim extends Lease {
  /** Room for so many lanes is reserved. */
  readonly limit: number
  /** Set if several numbers share the room. Default: one number may have all of `limit`. */
  readonly shared?: SharedRoom | undefined
  /** The number that was served last: those behind it, by name, go first. Default: by name from the first. */
  readonly after?: string | undefined
  /** Begin suspects too: see `StartedItem.suspect`. Default true. */
  readonly suspects?: boolean
  /**
   * Take nothing of a number while deliveries of its subscription wait for ingest, unless the subscription is one of these.
   * Default: take what is ready.
   */
  readonly unlessUnread?: readonly string[]
  /** Service time, by which scheduled sends and timers are due; default `now`. */
  readonly serviceNow?: number
  /** Report one-time codes whose process is gone, by items. */
  readonly tells?: boolean
}

export interface Begun<Work> {
  readonly fence: Fence
  readonly work: Work
  /** Its row said, when it began, that more may wait behind it in its lane. */
  readonly isFollowed?: boolean
}

export interface Claimed<Work> {
  readonly begun: readonly Begun<Work>[]
  /** Wall time at which the next lane is ready; undefined if none waits. */
  readonly nextAt: number | undefined
  /** With `unlessUnread`: the subscriptions of unread deliveries. */
  readonly unread?: readonly string[]
  /** Nothing was taken: this process was declared dead. It needs another name. */
  readonly dead?: true
  /** A newer release has migrated the database: nothing is claimed here any more. */
  readonly newerSchema?: number
}

/** With `goOn` the lane's next work begins at once: the lane has kept its room. */
export interface Next {
  readonly now: number
  readonly goOn: boolean
}

export interface Settled<Work> {
  /** False: the item or send was freed, and nothing was changed. */
  readonly stands: boolean
  /** Nothing was settled, and the item still runs: its session and a newer one changed the same key. */
  readonly sessionChanged?: true
  /** Values of the settlement, such as a session, were refused for themselves: this one took its place. */
  readonly instead?: Settlement
  /** Its customer was forgotten while it ran: it ends, whatever became of it. */
  readonly forgotten?: true
  readonly next: Begun<Work> | undefined
  readonly behind?: number
}

// ── customers ───────────────────────────────────────────────────────────────────────────────────────

/** `how`: a word of the app's for the way. */
export interface OptOut extends CustomerOfNumber {
  readonly at: number
  readonly how: string
}

/** A word of the customer's that ends or begins marketing, and counts from the commit that reads it. */
export interface SaidOptOut extends Pick<OptOut, 'at' | 'how'> {
  readonly says: 'out' | 'in'
  readonly anyNumber: boolean
  /** It may be an option of the question that is open: then the attempt decides. */
  readonly unlessAsked: boolean
}

export interface Session {
  readonly value: string
  readonly version: number
}

export interface SessionWrite {
  /** As it was read at `readAt`; undefined if there was none. */
  readonly before: string | undefined
  readonly readAt: number
  /** Before the change, if that is not what was read: the schema's defaults, or what it migrated. */
  readonly base?: string | undefined
  readonly value: string | undefined
  readonly version: number
  /** Undefined: never. */
  readonly expiresAt: number | undefined
}

/** `replaced`: another conversation was entered while it was open. */
export type ConversationEnd =
  | 'finished'
  | 'cancelled'
  | 'timeout'
  | 'too_many_tries'
  | 'changed'
  | 'failed'
  | 'replaced'
  | 'by_person'

export interface NewConversation extends CustomerOfNumber, Omit<OpenConversation, 'waits'> {
  /** As JSON; undefined if its script takes none. */
  readonly input: string | undefined
}

export interface JournalStep {
  readonly step: number
  /** The script's call, such as `ask`, `say` or `once`. */
  readonly kind: string
  readonly name: string
  /** As JSON; undefined while it has none, as an open question. */
  readonly result: string | undefined
}

/** A step at which a script waits for an answer, or for a time alone. */
export interface Waits {
  readonly step: number
  readonly for: 'answer' | 'time'
  readonly since: number
  /** The end, by an item of the kind `conversation_due`; undefined: the wait has none. */
  readonly dueAt: number | undefined
  /** An earlier time, at which such an item reminds of the question. */
  readonly remindAt?: number | undefined
}

export interface OpenConversation {
  /** Made of the cause that entered it and of its name, so a rerun makes the same. It is the cause of its sends. */
  readonly id: string
  readonly name: string
  readonly version: number
  readonly waits: Waits | undefined
}

export interface ConversationChange {
  readonly id: string
  /** It opens now, also if it was open or had ended; another open one of its customer ends as `replaced`. */
  readonly opens?: NewConversation | undefined
  /** A known step is replaced. */
  readonly steps?: readonly JournalStep[]
  /** Where it waits next, or how it has ended. `at`: of this, default `waits.since`. One that a person ended stays so. */
  readonly next?: { readonly waits: Waits; readonly at?: number } | { readonly ended: ConversationEnd }
}

/** The wish that a customer enters a conversation: an item of the kind `enter` in the lane of their messages. */
export interface NewEntry extends Omit<NewConversation, 'id'> {
  /** The same wish is kept once. */
  readonly key: string
  readonly at: number
}

export interface ConversationRow extends NewConversation {
  readonly openedAt: number
  readonly steps: number
  readonly waits: Waits | undefined
}

// ── deliveries ──────────────────────────────────────────────────────────────────────────────────────

/**
 * The state of a delivery beside its items:
 *
 * `stored` (once ingested, its items have their own states) | `ignored` (no handler, unknown event) | `quarantined`
 * (signed, but not to be understood). Never dispatched by themselves: `suspected_replay` (signed bytes that came before
 * under another id or event name), `conflict` (a known id with other signed bytes, or signed bytes that nobody handled
 * under their first name) → `rendered_anew` (the service wrote the same message
 * in other bytes), and `stale` (refused for its time, kept on request).
 */
export const DELIVERY_STATES = [
  'stored',
  'ignored',
  'quarantined',
  'suspected_replay',
  'conflict',
  'rendered_anew',
  'stale',
] as const

export type DeliveryState = (typeof DELIVERY_STATES)[number]

export interface NewDelivery extends Omit<ItemDelivery, 'seq' | 'deliveryId' | 'event'> {
  /** Canonical. Undefined, like the event, if the header was missing, repeated or malformed: see `unclear`. */
  readonly deliveryId: string | undefined
  readonly event: string | undefined
  /** Unix seconds, as signed. */
  readonly timestamp: number
  /** SHA-256 of the bytes; with subscription and timestamp it is the signed material. */
  readonly digest: Uint8Array
  /** Why its headers cannot be understood: it is quarantined, and takes no delivery id. */
  readonly unclear?: string
  /** Its signature holds and its time does not: kept, never dispatched. */
  readonly stale?: boolean
  /** Dispatch the same signed bytes under another id too. */
  readonly dispatchIdentical?: boolean
}

export type Acceptance = 'stored' | 'quarantined' | 'duplicate' | 'suspected_replay' | 'conflict' | 'stale'

export interface StoredDelivery extends ItemDelivery, Pick<NewDelivery, 'timestamp' | 'digest'> {
  /** The first delivery under its id, with which ingest compares it, and does no more. */
  readonly conflictsWith?: number | undefined
}

export interface Ingested {
  /** `conflict`: its items are compared with those of the first delivery, and not dispatched. */
  readonly state: 'ingested' | 'ignored' | 'quarantined' | 'conflict'
  readonly note?: string
  readonly items: readonly NewItem[]
  readonly windows: readonly WindowMove[]
  readonly statuses: readonly NewStatus[]
  readonly takeovers?: readonly NewTakeover[]
}

export interface WindowMove extends CustomerOfNumber {
  readonly lastAt: number
  /** The spelling of the customer's number in this message, if the bot has a rule for that. */
  readonly wroteAs?: string | undefined
  /** Timers that are armed if the window moves, in the place of earlier ones. */
  readonly closing?: readonly WindowTimer[] | undefined
}

/** Comes due `before` ms before a window closes, by an item of the kind `window_closing`. */
export interface WindowTimer {
  readonly before: number
  readonly dueAt: number
}

export interface NewStatus {
  readonly number: string
  readonly messageId: string | undefined
  readonly upstreamId: string | undefined
  readonly status: string
  readonly at: number
  readonly reason: string | undefined
}

/** An item whose identity was not free. `over_limit`: the first message of a customer above the limit, whatever its identity. */
export interface IngestOutcome {
  readonly idx: number
  readonly identity: 'same_message' | 'reused' | 'conflict' | 'over_limit'
}

export interface Accepted {
  readonly as: Acceptance
  /** Undefined if the delivery repeats a known one. */
  readonly seq?: number
  /** Of its ingest, if that came about; otherwise it is unread, or has ended. */
  readonly ingested?: readonly IngestOutcome[]
  /** Its item, if that has begun in the same commit. */
  readonly started?: Begun<StartedItem>
}

// ── items ───────────────────────────────────────────────────────────────────────────────────────────

/** `signal`: of the customer, and nobody wrote it. Own kinds are the bot's: `send_failed` in the lane of the customer's statuses, the others in that of their messages. */
export type ItemKind = 'message' | 'signal' | 'status' | 'event' | OwnKind

export type OwnKind = keyof typeof OWN_EVENTS

export const OWN_EVENTS = {
  send_failed: 'send.failed',
  window_closing: 'window.closing',
  conversation_due: 'conversation.due',
  enter: 'conversation.enter',
} as const

/** No delivery of the service has an empty subscription. */
export const OWN_SUBSCRIPTION = ''

/** Claimed once per number; `binding` keeps two messages of one id apart. */
export interface Identity {
  readonly key: string
  readonly binding: string
}

/** Of one customer, in a span from the first of them. `at`: of this message's receipt. */
export interface MessageLimit {
  readonly messages: number
  readonly everyMs: number
  readonly at: number
}

export interface NewItem {
  /** Its place within the delivery, from 0. */
  readonly idx: number
  readonly kind: ItemKind
  readonly number: string
  readonly customer: string | undefined
  /** Undefined without a customer: the store gives it its own lane. */
  readonly lane: string | undefined
  /** The payload's, else of receipt. */
  readonly at: number
  /** JSON; a later change of the mapping does not change it. */
  readonly facts: string
  readonly identity: Identity | undefined
  /** Keys of replies are made of the identity, or of the signed material if no identity is trusted. */
  readonly cause: { readonly identity: string | undefined; readonly signed: string }
  readonly state: 'stored' | 'parked' | 'ignored'
  readonly reason?: string
  readonly burst?: BurstPart | undefined
  readonly optOut?: SaidOptOut | undefined
  readonly limit?: MessageLimit | undefined
}

/**
 * `stored` → `running` → `done` | `retry` | `parked` (a fact is missing) | `dead` (given up). Ended from the start:
 * `ignored` (nobody listens), `rested` (somebody else has its customer), `same_message` (its identity was claimed by another delivery).
 */
export const ITEM_STATES = [
  'stored',
  'running',
  'retry',
  'done',
  'parked',
  'dead',
  'ignored',
  'rested',
  'same_message',
] as const

export type ItemState = (typeof ITEM_STATES)[number]

/** Milliseconds. */
export interface BurstRules {
  /** After the customer's last message. */
  readonly quietMs: number
  /** After the first message. */
  readonly maxMs: number
  readonly maxMessages: number
}

/** `flushes`: handled alone and at once; what was gathered is sealed. Without either, nothing is sealed. */
export type BurstPart = BurstRules | 'flushes'

export interface EarlierMessage {
  readonly deliveryId: string
  readonly at: number
  readonly facts: string
  readonly trace?: string | undefined
}

/** What handlers see. */
export interface ItemDelivery {
  readonly seq: number
  readonly subscription: string
  readonly deliveryId: string
  readonly event: string
  readonly body: Uint8Array
  readonly receivedAt: number
  /** The lead of the service's clock, in milliseconds; 0 except beside an emulator. */
  readonly clockOffset: number
  /** The span that received it, as W3C trace context. */
  readonly trace?: string | undefined
}

export interface StartedItem extends Pick<NewItem, 'idx' | 'kind' | 'number' | 'customer' | 'at' | 'facts'> {
  readonly id: number
  readonly cause: string
  /** From 1; counted before the run, so that a crash counts. */
  readonly attempt: number
  readonly createdAt: number
  /** A dead process left it running, at least at its second attempt: perhaps it ends processes. They begin one at a time. */
  readonly suspect: boolean
  /** The messages of its burst before its own, by payload time. */
  readonly earlier: readonly EarlierMessage[]
  readonly completedHandlers: readonly string[]
  /** Of the customer's last message with a trusted time. */
  readonly lastInboundAt: number | undefined
  /** A message of this customer with a later payload time was handled before. */
  readonly late: boolean
  /** Of the last send to this customer that the service accepted. */
  readonly lastSentAt: number | undefined
  /** The last one, which may be over. */
  readonly takenOver: TakenOver | undefined
  readonly conversation: OpenConversation | undefined
  readonly delivery: ItemDelivery
  /** The span of the last attempt that failed, as W3C trace context. */
  readonly failedTrace?: string | undefined
}

/** Its message is the item's `reason`. */
export interface Failure {
  readonly attempt: number
  /** Of the route or layer that threw; undefined for code of none. */
  readonly route: string | undefined
  readonly frames: readonly string[]
  /** Its span, as W3C trace context. */
  readonly trace?: string | undefined
}

/** `completedHandlers`: handlers that do not run again with the item. `failure`: undefined leaves the one before. */
export type Settlement =
  | {
      readonly as: 'done'
      readonly session?: SessionWrite | undefined
      readonly conversations?: readonly ConversationChange[] | undefined
      /** Its customer waits for a person from now on, and why: nobody else answers this message. */
      readonly waits?: WaitingReason | undefined
    }
  /** No route matched; or the routes rested. */
  | { readonly as: 'ignored' | 'rested'; readonly waits?: WaitingReason | undefined }
  | {
      readonly as: 'parked' | 'dead'
      readonly reason: string
      readonly waits?: WaitingReason | undefined
      readonly conversations?: readonly ConversationChange[] | undefined
      readonly completedHandlers?: readonly string[]
      readonly failure?: Failure | undefined
    }
  | {
      readonly as: 'retry'
      readonly reason: string
      /** Wall time. */
      readonly at: number
      /** Else the rest of the lane continues. */
      readonly blocksLane: boolean
      readonly completedHandlers: readonly string[]
      readonly failure?: Failure | undefined
    }
  /** An orderly stop, or too early: it does not count. `at`: of the next attempt, wall time, default now. */
  | {
      readonly as: 'released'
      readonly completedHandlers: readonly string[]
      readonly at?: number
      readonly blocksLane?: boolean
    }
