import type { Acceptance, Ingested, IngestOutcome, NewDelivery, StoredDelivery } from './deliveries.ts'
import type { StartedItem } from './items.ts'
import type { Beginning, Held } from './lanes.ts'

/** The outcome of `accept`. */
export interface Accepted {
  readonly as: Acceptance
  /** Undefined if the delivery repeats a known one. */
  readonly seq?: number
  /** The outcome of its ingest, if that was given and came about; otherwise the delivery is pending, or at rest. */
  readonly ingested?: readonly IngestOutcome[]
  /** Its item, begun in the same commit: the lane was idle, and there was room. */
  readonly started?: Held<StartedItem>
}

/** The way of a delivery into the store and on to its items. */
export interface Deliveries {
  /**
   * Stores a delivery once. Two keys decide: (subscription, delivery id) and the signed material (subscription,
   * timestamp, digest). Rejects only if storing is impossible; a delivery that fails alone does not take its neighbours
   * along.
   *
   * A new delivery that was read before (`ingested`) becomes its items in the same commit, and its only item begins
   * there if its lane is idle, nothing is pending that may belong before it, and the process has room. Of the
   * deliveries in one commit the one with the oldest payload time goes first. Any other delivery is left pending.
   *
   * @param o.waitMs milliseconds for which the delivery may wait while another process writes; the store has a default.
   */
  accept(
    delivery: NewDelivery,
    o?: { readonly ingested?: Ingested; readonly begin?: Beginning; readonly waitMs?: number },
  ): Promise<Accepted>

  /** Pending deliveries, oldest first. */
  pending(limit: number): Promise<readonly StoredDelivery[]>

  /**
   * Turns a pending delivery into its items, claims identities, moves windows, records statuses, wakes lanes. Changes
   * nothing if another process was faster.
   */
  ingest(seq: number, ingested: Ingested, now: number): Promise<readonly IngestOutcome[]>

  /** True if a delivery of this subscription is known by its id. */
  hasDeliveriesOf(subscription: string): Promise<boolean>

  /** The subscriptions whose deliveries are known by their ids; the bot's own is none of them. */
  subscriptions(): Promise<readonly string[]>

  /** The clock offset that the newest delivery came with; 0 if there is none. */
  lastClockOffset(): Promise<number>
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

/** A shape that no process had seen before. */
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

export interface Payloads {
  /**
   * Keeps the shapes that are not known yet, and answers with them: each once, whichever process saw it. Whoever may sign
   * a delivery may vary its shape, so events and shapes without room are neither kept nor answered.
   */
  addShapes(shapes: readonly SeenShape[]): Promise<readonly NewShape[]>

  /** Keeps the app's mapping, in place of the last one: for a person who asks how a payload would be read. */
  keepMapping(mapping: readonly MappedPath[]): Promise<void>

  mapping(): Promise<readonly MappedPath[]>
}
