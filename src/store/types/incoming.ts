export type Work = 'items' | 'sends' | 'announcements' | 'erasure'
export type Counts = Readonly<Record<string, number>>

export interface Commit {
  readonly operations: number
  /** Milliseconds from its begin until it was on disk. */
  readonly durationMs: number
}

export interface CustomerOfNumber {
  readonly number: string
  readonly customer: string
}

// ── lanes and leases ────────────────────────────────────────────────────────────────────────────────

/** The key of a lane begins with the name of its number, which has no slash. */
export function numberOf(lane: string): string {
  return lane.slice(0, lane.indexOf('/'))
}

/**
 * The lease of a running item or send, checked in the transaction of each effect: once another process has taken the item
 * over, an effect of the earlier run changes nothing.
 */
export interface Fence {
  readonly lane: string
  /** The item's id, or the send's. */
  readonly of: number | string
  readonly owner: number
  /** Rises with each begin. */
  readonly run: number
}

/** Room in a process for work that begins; an operation asks for it within its commit. */
export interface Room {
  /** False if there is none, or if the number has its share. */
  take(number: string): boolean
  /** Returns what was taken for work that did not begin after all. */
  give(number: string): void
  /** Numbers that have their share, so that their lanes need not be read. Default: none. */
  full?(): readonly string[]
}

/** The lease under which a process works. */
export interface Lease {
  /** The name of the process, which no other process ever has. */
  readonly owner: string
  /** Wall time. */
  readonly now: number
  readonly leaseMs: number
}

/** Lets an operation begin work in the commit that stores it. */
export interface Beginning extends Lease {
  readonly room: Room
}

export interface Claim extends Lease {
  readonly limit: number
  /** Default: room for `limit`. */
  readonly room?: Room
  /** The number that was served last: those behind it, by name, go first. Default: by name from the first. */
  readonly after?: string | undefined
  /** Begin suspects too: see `StartedItem.suspect`. Default true. */
  readonly suspects?: boolean
  /** Take nothing while deliveries wait for ingest. Default: take what is ready. */
  readonly unlessUnread?: boolean
  /** Service time, by which scheduled sends and timers are due; default `now`. */
  readonly serviceNow?: number
  /** Report one-time codes whose process is gone, by items. */
  readonly tells?: boolean
}

export interface Begun<Work> {
  readonly fence: Fence
  readonly work: Work
}

export interface Claimed<Work> {
  readonly begun: readonly Begun<Work>[]
  /** Wall time at which the next lane is ready; undefined if none waits. */
  readonly nextAt: number | undefined
  /** Nothing was taken: deliveries wait for ingest, and may belong before what is ready. */
  readonly unread?: true
  /** Nothing was taken: this process was declared dead. It needs another name. */
  readonly dead?: true
  /** The schema of a newer release that has migrated the database: nothing is claimed here any more. */
  readonly newerSchema?: number
}

/** What follows a settlement: with `goOn` the lane's next work begins at once, if there is room. */
export interface Next {
  /** Wall time. */
  readonly now: number
  readonly goOn: boolean
  /** Default: there is. */
  readonly room?: Room
}

export interface Settled<Work> {
  /** False: the lease was lost, and nothing was changed. */
  readonly hasLease: boolean
  /** Nothing was settled, and the item still runs: the session of the settlement and a newer one changed the same key. */
  readonly sessionChanged?: true
  readonly next: Begun<Work> | undefined
  readonly behind?: number
}

// ── customers ───────────────────────────────────────────────────────────────────────────────────────

/** Somebody else has the customer: a person, or the service's agent, since the customer typed `BOT`. Service time. */
export interface TakenOver {
  readonly by: 'agent' | 'person'
  readonly since: number
  readonly until: number
  /** The cause of the item whose handler handed the customer over; undefined if no handler did. */
  readonly cause?: string | undefined
}

export interface NewTakeover extends CustomerOfNumber, Omit<TakenOver, 'cause'> {}

/** That a customer refuses marketing, or agrees to it again. `at`: service time. `how`: a word of the app's for the way. */
export interface OptOut extends CustomerOfNumber {
  readonly at: number
  readonly how: string
}

/** The app's own state about one customer, as JSON. */
export interface Session {
  readonly value: string
  readonly version: number
}

/** A change of a session that was read before. */
export interface SessionWrite {
  /** The value that was read, at that service time; undefined if there was none. */
  readonly before: string | undefined
  readonly readAt: number
  /** The value before the change, if that is not the one that was read: the schema's defaults, or what it migrated. */
  readonly base?: string | undefined
  readonly value: string | undefined
  readonly version: number
  /** Service time; undefined: never. */
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

/** A conversation that a script holds with one customer. A customer has at most one open on a number. */
export interface NewConversation extends CustomerOfNumber {
  /** Made of the cause that entered it and of its name, so that a rerun makes the same; it is the cause of its sends too. */
  readonly id: string
  readonly name: string
  readonly version: number
  /** As JSON; undefined if its script takes none. */
  readonly input: string | undefined
}

export interface JournalStep {
  /** Its place in the journal, from 0. */
  readonly step: number
  /** The script's call, such as `ask`, `say` or `once`. */
  readonly kind: string
  readonly name: string
  /** As JSON; undefined while it has none, as an open question. */
  readonly result: string | undefined
}

/** A step at which a script waits: for the customer's answer, or for a time alone. Service time. */
export interface Waits {
  readonly step: number
  readonly for: 'answer' | 'time'
  readonly since: number
  /** The time at which the wait ends, by an item of the kind `conversation_due`; undefined: the wait has no end. */
  readonly dueAt: number | undefined
  /** An earlier time, at which such an item reminds of the question. */
  readonly remindAt?: number | undefined
}

export interface OpenConversation extends Pick<NewConversation, 'id' | 'name' | 'version'> {
  readonly waits: Waits | undefined
}

export interface ConversationChange {
  readonly id: string
  /** It opens now, also if it was open or had ended; another one of its customer that is open ends as `replaced`. */
  readonly opens?: NewConversation | undefined
  /** A step that the journal has already is replaced. */
  readonly steps?: readonly JournalStep[]
  /**
   * The conversation waits at another step, with its own timer in the place of the one before, or has ended. `at`: the
   * service time of this, default `waits.since`. Absent: it waits as before. One that a person has ended stays so.
   */
  readonly next?: { readonly waits: Waits; readonly at?: number } | { readonly ended: ConversationEnd }
}

/** The wish that a customer enters a conversation, as an item of the kind `enter` in the lane of their messages. */
export interface NewEntry extends Omit<NewConversation, 'id'> {
  /** The same wish is kept once; the item's cause is made of it. */
  readonly key: string
  /** Service time. */
  readonly at: number
}

export interface ConversationRow extends NewConversation {
  /** Wall time. */
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

export interface NewDelivery {
  readonly subscription: string
  /** Canonical. Undefined, like the event, if the header was missing, repeated or malformed: `unclear` says so. */
  readonly deliveryId: string | undefined
  readonly event: string | undefined
  /** Unix seconds, as signed. */
  readonly timestamp: number
  /** SHA-256 of the bytes; with subscription and timestamp it is the signed material. */
  readonly digest: Uint8Array
  readonly body: Uint8Array
  /** Wall time. */
  readonly receivedAt: number
  /** The lead of the service's clock over ours when the delivery came, in milliseconds; 0 except beside an emulator. */
  readonly clockOffset: number
  /** Why its headers cannot be understood; such a delivery is quarantined, and takes no delivery id. */
  readonly unclear?: string
  /** Its signature holds and its time does not: kept for a person to see, never dispatched. */
  readonly stale?: boolean
  /** Dispatch the same signed bytes under another id too, instead of keeping them as a suspected replay. */
  readonly dispatchIdentical?: boolean
  /** The span that received it, as W3C trace context; undefined without a tracer. */
  readonly trace?: string | undefined
}

/** The outcome for a delivery as its keys decide it, in the commit that stores it. */
export type Acceptance = 'stored' | 'quarantined' | 'duplicate' | 'suspected_replay' | 'conflict' | 'stale'

export interface StoredDelivery extends Omit<NewDelivery, 'unclear' | 'stale' | 'dispatchIdentical'> {
  readonly seq: number
  readonly deliveryId: string
  readonly event: string
  /** For a conflict: the first delivery under its id. Ingest compares the two, and does no more. */
  readonly conflictsWith?: number | undefined
}

export interface Ingested {
  /** `conflict`: its items are not dispatched; their identities are compared with those of the first delivery. */
  readonly state: 'ingested' | 'ignored' | 'quarantined' | 'conflict'
  readonly note?: string
  readonly items: readonly NewItem[]
  readonly windows: readonly WindowMove[]
  readonly statuses: readonly NewStatus[]
  readonly takeovers?: readonly NewTakeover[]
}

export interface WindowMove extends CustomerOfNumber {
  /** Service time of the customer's message. */
  readonly lastAt: number
  /** Timers that are armed if the window moves; each takes the place of the one that an earlier message armed. */
  readonly closing?: readonly WindowTimer[] | undefined
}

/** A timer that comes due some milliseconds before a window closes, by an item of the kind `window_closing`. */
export interface WindowTimer {
  readonly before: number
  /** Service time. */
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

/** An item whose identity was not free: the same message, another one that uses its id, or a true conflict. */
export interface IngestOutcome {
  readonly idx: number
  readonly identity: 'same_message' | 'reused' | 'conflict'
}

export interface Accepted {
  readonly as: Acceptance
  /** Undefined if the delivery repeats a known one. */
  readonly seq?: number
  /** The outcome of its ingest, if that was given and came about; otherwise the delivery is unread, or has ended. */
  readonly ingested?: readonly IngestOutcome[]
  /** Its item, begun in the same commit: the lane was idle, and there was room. */
  readonly started?: Begun<StartedItem>
}

// ── items ───────────────────────────────────────────────────────────────────────────────────────────

/**
 * Statuses have their own lanes; messages and other events of a customer share one. The own ones are no deliveries of the
 * service but the bot's. `send_failed` is in the lane of the customer's statuses, the others in the lane of their messages.
 */
export type ItemKind = 'message' | 'status' | 'event' | OwnKind

export type OwnKind = keyof typeof OWN_EVENTS

export const OWN_EVENTS = {
  send_failed: 'send.failed',
  window_closing: 'window.closing',
  conversation_due: 'conversation.due',
  enter: 'conversation.enter',
} as const

/** The subscription of what the bot itself tells: no delivery of the service has an empty one. */
export const OWN_SUBSCRIPTION = ''

/** The message that an item says it is. Claimed once per number; `binding` keeps two messages of one id apart. */
export interface Identity {
  readonly key: string
  readonly binding: string
}

export interface NewItem {
  /** Its place within the delivery: 0, or more in a batch. */
  readonly idx: number
  readonly kind: ItemKind
  readonly number: string
  readonly customer: string | undefined
  /** Undefined for an item without a customer: the store gives it its own lane. */
  readonly lane: string | undefined
  /** Service time: the payload's, else that of receipt. */
  readonly at: number
  /** Facts as JSON, fixed here: a later change of the mapping does not change them. */
  readonly facts: string
  readonly identity: Identity | undefined
  /** Keys of replies are made of the cause: the identity, or the signed material if no identity is to be trusted. */
  readonly cause: { readonly identity: string | undefined; readonly signed: string }
  readonly state: 'stored' | 'parked' | 'ignored'
  readonly reason?: string
  readonly burst?: BurstPart | undefined
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

/** When gathered messages of a customer are handled as one burst. Milliseconds of wall time. */
export interface BurstRules {
  /** Its customer has been quiet for this long. */
  readonly quietMs: number
  /** This long after its first message, although the customer writes on. */
  readonly maxMs: number
  /** At once with so many messages. */
  readonly maxMessages: number
}

/** `flushes`: it is handled alone and at once, and what was gathered before it is sealed. Without either, nothing is sealed. */
export type BurstPart = BurstRules | 'flushes'

/** A message of a burst beside its last one, which is the item itself. */
export interface EarlierMessage {
  readonly deliveryId: string
  /** Service time. */
  readonly at: number
  readonly facts: string
  readonly trace?: string | undefined
}

/** The part of a delivery that an item's handlers see. */
export type ItemDelivery = Omit<StoredDelivery, 'timestamp' | 'digest' | 'conflictsWith'>

export interface StartedItem extends Pick<NewItem, 'idx' | 'kind' | 'number' | 'customer' | 'at' | 'facts'> {
  readonly id: number
  readonly cause: string
  /** This attempt's number, from 1; counted before the run, so that a crash counts. */
  readonly attempt: number
  readonly createdAt: number
  /**
   * A process that is gone left it running, at its second attempt or a later one: perhaps the item is what ends processes.
   * Suspects are begun one at a time, so that the others do not die of its crashes.
   */
  readonly suspect: boolean
  /** The messages of its burst before its own, by payload time; none if it is handled alone. */
  readonly earlier: readonly EarlierMessage[]
  readonly completedHandlers: readonly string[]
  /** Service time of the customer's last message with a trusted time, as it was known then. */
  readonly lastInboundAt: number | undefined
  /** A message of this customer with a later payload time was handled before. */
  readonly late: boolean
  /** Service time of the last send to this customer that the service took. */
  readonly lastSentAt: number | undefined
  /** The last take-over of this customer, which may be over. */
  readonly takenOver: TakenOver | undefined
  readonly conversation: OpenConversation | undefined
  readonly delivery: ItemDelivery
  /** The span of the last attempt that failed, as W3C trace context. */
  readonly failedTrace?: string | undefined
}

/** The error that an attempt failed with, beside its message, which is the item's `reason`. */
export interface Failure {
  readonly attempt: number
  /** The id of the route or layer that threw; undefined if it was code that belongs to none. */
  readonly route: string | undefined
  readonly frames: readonly string[]
  /** The span of the attempt, as W3C trace context. */
  readonly trace?: string | undefined
}

/** `completedHandlers`: handlers that do not run again with the item. `failure`: undefined leaves the one before. */
export type Settlement =
  /** Done; the customer's session and conversations are written in the same transaction. */
  | {
      readonly as: 'done'
      readonly session?: SessionWrite | undefined
      readonly conversations?: readonly ConversationChange[] | undefined
    }
  /** No route took it; or its routes rested, since somebody else has its customer. */
  | { readonly as: 'ignored' | 'rested' }
  | {
      readonly as: 'parked' | 'dead'
      readonly reason: string
      readonly conversations?: readonly ConversationChange[] | undefined
      readonly completedHandlers?: readonly string[]
      readonly failure?: Failure | undefined
    }
  | {
      readonly as: 'retry'
      readonly reason: string
      /** Wall time of the next attempt. */
      readonly at: number
      /** The lane waits for that attempt; otherwise the rest of the lane continues. */
      readonly blocksLane: boolean
      readonly completedHandlers: readonly string[]
      readonly failure?: Failure | undefined
    }
  /**
   * An orderly stop, or too early for the item: the attempt does not count. `at`: wall time of the next, default now;
   * with `blocksLane` the lane waits for it.
   */
  | {
      readonly as: 'released'
      readonly completedHandlers: readonly string[]
      readonly at?: number
      readonly blocksLane?: boolean
    }
