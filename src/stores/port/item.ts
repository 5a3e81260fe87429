import type { StoredDelivery } from './delivery.ts'
import type { Mute } from './send.ts'

/** What an item's handlers see of its delivery. */
export type ItemDelivery = Omit<StoredDelivery, 'timestamp' | 'digest' | 'clockOffset' | 'conflictsWith'>

/** Messages, statuses and other events have lanes apart, so that a backlog of one never delays another. */
export type ItemKind = 'message' | 'status' | 'event'

/**
 * `stored` → `running` → `done` | `retry` | `parked` (a fact is missing) | `dead` (given up). At rest from the
 * start: `ignored` (nobody listens), `same_message` (its identity was claimed by another delivery).
 */
export type ItemState = 'stored' | 'running' | 'retry' | 'done' | 'parked' | 'dead' | 'ignored' | 'same_message'

/** Who a message says it is. Claimed once per number; `binding` keeps two messages of one id apart. */
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
  readonly lane: string
  /** Service time: the payload's, else that of receipt. */
  readonly at: number
  /** Facts as JSON, fixed here: a later change of the mapping does not change what this item says. */
  readonly facts: string
  readonly identity: Identity | undefined
  /** What a reply's key is made of: the identity, or the signed material where there is none to trust. */
  readonly cause: { readonly identity: string | undefined; readonly signed: string }
  readonly state: 'stored' | 'parked' | 'ignored'
  readonly reason?: string
}

export interface WindowMove {
  readonly number: string
  readonly customer: string
  /** Service time of the customer's message. */
  readonly lastAt: number
}

export interface NewStatus {
  readonly number: string
  readonly messageId: string | undefined
  readonly upstreamId: string | undefined
  readonly status: string
  readonly at: number
  readonly reason: string | undefined
}

/** What the sort makes of one stored delivery; stored in one transaction. */
export interface Ingested {
  /** `conflict`: its items are not dispatched; their identities are held against those of the first one. */
  readonly state: 'ingested' | 'ignored' | 'quarantined' | 'conflict'
  readonly note?: string
  /**
   * Where it is not handled: the name that the bytes give their event. What came or comes with the same signed bytes
   * under that name, and not under the one that stands in the header, is the genuine delivery, and is dispatched.
   */
  readonly ownEvent?: string
  readonly items: readonly NewItem[]
  readonly windows: readonly WindowMove[]
  readonly statuses: readonly NewStatus[]
  /** Customers who asked for the service's agent. */
  readonly mutes?: readonly Mute[]
}

/** Told per item whose identity was not free: the same message, another one that uses its id, or a true conflict. */
export interface IngestOutcome {
  readonly idx: number
  readonly identity: 'same_message' | 'reused' | 'conflict'
}

/** An item whose attempt has been counted and begun. */
export interface StartedItem {
  readonly id: number
  readonly idx: number
  readonly kind: ItemKind
  readonly number: string
  readonly customer: string | undefined
  readonly at: number
  readonly facts: string
  readonly cause: string
  /** 1 for the first; counted before the run, so that a crash counts. */
  readonly attempt: number
  readonly createdAt: number
  /**
   * The process ended twice during its attempts: perhaps it is what ends the process. Suspects are begun one at a time,
   * so that the others do not die of its crashes.
   */
  readonly suspect: boolean
  /** Handlers that finished in an earlier attempt and do not run again. */
  readonly completedHandlers: readonly string[]
  /** Service time of the customer's last message with a trusted time, as far as it was known then. */
  readonly lastInboundAt: number | undefined
  /** A message of this customer with a later payload time was handled before. */
  readonly late: boolean
  readonly delivery: ItemDelivery
}

/** The app's own state about one customer, as JSON. */
export interface SessionWrite {
  /** Undefined: it is removed. */
  readonly value: string | undefined
  readonly version: number
  /** Service time; undefined: never. */
  readonly expiresAt: number | undefined
}

export type Settlement =
  /** Done: with what its handlers made of the customer's session, in the same transaction. */
  | { readonly as: 'done'; readonly session?: SessionWrite | undefined }
  | { readonly as: 'ignored' }
  /** `finished`: what does not run again where it is put back. */
  | { readonly as: 'parked' | 'dead'; readonly reason: string; readonly completedHandlers?: readonly string[] }
  | {
      readonly as: 'retry'
      readonly reason: string
      /** Wall time of the next attempt. */
      readonly at: number
      /** Whether the lane waits for it; otherwise the rest of the lane goes on. */
      readonly blocksLane: boolean
      readonly completedHandlers: readonly string[]
    }
  /** An orderly stop, or too early for it: the attempt does not count. `at`: wall time of the next one, default now. */
  | { readonly as: 'released'; readonly completedHandlers: readonly string[]; readonly at?: number }
