import type { NewTakeover } from './stored-customers.ts'

/**
 * The state of a delivery beside its items:
 *
 * `stored` (once ingested, its items have their own states) | `ignored` (no handler, unknown event) | `quarantined`
 * (signed, but not to be understood). Never dispatched by themselves: `suspected_replay` (signed bytes that came before
 * under another id or event name), `conflict` (a known id with other signed bytes, or signed bytes that nobody handled
 * under their first name) → `rendered_anew` (the service wrote the same message
 * in other bytes), and `stale` (refused for its time, kept on request).
 */
export type DeliveryState =
  | 'stored'
  | 'ignored'
  | 'quarantined'
  | 'suspected_replay'
  | 'conflict'
  | 'rendered_anew'
  | 'stale'

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
  /**
   * The lead of the service's clock over ours when the delivery came, in milliseconds; 0 except beside an emulator.
   */
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

export interface StoredDelivery
  extends Pick<NewDelivery, 'subscription' | 'timestamp' | 'digest' | 'body' | 'receivedAt' | 'clockOffset' | 'trace'> {
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

/**
 * Statuses have their own lanes; messages and other events of a customer share one. The last four are no deliveries of
 * the service but the bot's own. `send_failed` tells of a send that failed when nobody waited for it any more, in the lane
 * of the customer's statuses. In the lane of their messages: `window_closing`, and `conversation_due`, for a timer that has
 * come due; `enter`, for the wish that a customer enters a conversation.
 */
export type ItemKind = 'message' | 'status' | 'event' | OwnKind

export type OwnKind = 'send_failed' | 'window_closing' | 'conversation_due' | 'enter'

export const OWN_EVENTS = {
  send_failed: 'send.failed',
  window_closing: 'window.closing',
  conversation_due: 'conversation.due',
  enter: 'conversation.enter',
} as const satisfies Record<OwnKind, string>

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

export interface WindowMove {
  readonly number: string
  readonly customer: string
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

/**
 * Messages of a customer that come close together are gathered, and handled as one burst: one attempt, one cause, one
 * settlement. Its members are sealed before its first run, at the latest in the commit that begins it; what comes later
 * is gathered for the next one. Spans are milliseconds of wall time.
 */
export interface BurstRules {
  /** A burst is handled once its customer has been quiet for this long. */
  readonly quietMs: number
  /** It is handled this long after its first message, although the customer writes on. */
  readonly maxMs: number
  /** It is sealed with so many messages, and handled at once. */
  readonly maxMessages: number
}

/**
 * The part that an item takes in bursts: it is gathered by these rules, or it is handled alone and at once, and what was
 * gathered before it is sealed. Without either it is handled alone, and seals nothing.
 */
export type BurstPart = BurstRules | 'flushes'

/** A message of a burst beside its last one, which is the item itself. */
export interface EarlierMessage {
  readonly deliveryId: string
  /** Service time. */
  readonly at: number
  readonly facts: string
  /** See `NewDelivery`. */
  readonly trace?: string | undefined
}
