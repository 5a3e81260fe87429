import type { Begun } from './lanes.ts'
import type { Acceptance, EarlierMessage, IngestOutcome, NewItem, StoredDelivery } from './stored-deliveries.ts'
import type { ConversationChange, OpenConversation, SessionWrite, TakenOver } from './stored-customers.ts'

/**
 * `stored` → `running` → `done` | `retry` | `parked` (a fact is missing) | `dead` (given up). Ended from the start:
 * `ignored` (nobody listens), `rested` (somebody else has its customer), `same_message` (its identity was claimed by another delivery).
 */
export type ItemState =
  | 'stored'
  | 'running'
  | 'retry'
  | 'done'
  | 'parked'
  | 'dead'
  | 'ignored'
  | 'rested'
  | 'same_message'

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

export interface Accepted {
  readonly as: Acceptance
  /** Undefined if the delivery repeats a known one. */
  readonly seq?: number
  /** The outcome of its ingest, if that was given and came about; otherwise the delivery is unread, or has ended. */
  readonly ingested?: readonly IngestOutcome[]
  /** Its item, begun in the same commit: the lane was idle, and there was room. */
  readonly started?: Begun<StartedItem>
}
