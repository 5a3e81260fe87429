import type { Acts, Glances, InboxAdmin, OutboxAdmin } from './admin.ts'
import type { Conversations, Customers } from './customers.ts'
import type { Deliveries, Payloads } from './inbox.ts'
import type { Items } from './items.ts'
import type { Fence } from './lanes.ts'
import type { Outbox } from './outbox.ts'

/**
 * The promises of every store. A store is a record of functions; each write is durable when its promise resolves, and
 * each is one transaction, but those of a person on any number of rows, which are many small ones. A store may put the writes of one turn of the event loop into one commit.
 */
export interface Store
  extends Deliveries,
    Items,
    Conversations,
    Outbox,
    Customers,
    InboxAdmin,
    OutboxAdmin,
    Acts,
    Glances,
    Payloads,
    Maintenance {
  /** Set if the database was brought back from a backup, and its sends were not let go since. */
  readonly restored: Restored | undefined

  /** This opening made the store: it is a first start. */
  readonly isNew: boolean

  /**
   * Wall time, in milliseconds since the epoch, by which leases and waits go: the machine's, or that of a database's server,
   * so that all its processes agree. Every `now` that is given to an operation and is wall time is this one.
   */
  clock(): number

  /** Random bytes that are made when they are first asked for, and are the same ever after. */
  secret(name: string): Promise<Uint8Array>

  /** Calls back after each commit that made work. The answer unsubscribes. */
  onWork(listener: (work: Work) => void): () => void

  close(): Promise<void>
}

/** A commit, for whoever measures the store. */
export interface Commit {
  /** How many operations shared it. */
  readonly operations: number
  /** Milliseconds from its begin until it was on disk. */
  readonly durationMs: number
}

/** Work for the dispatcher, for the send worker, or for maintenance. */
export type Work = 'items' | 'sends' | 'erasure'

/** Operations that run now and then, and not for a delivery or a send. */
export interface Maintenance {
  /**
   * Prolongs leases; a lane that was lost stays lost. If the clock went back, waits of items, sends and throttles move
   * with it, so that nothing waits longer than was meant, and leases that no clock of now can have given end. Resolves with
   * the fences whose lanes were lost.
   *
   * @param clock wall time, read within the transaction: one that was read before a wait for another process would seem
   * to have gone back. Half a second is no sign of that, as processes agree about the time of a server no better.
   */
  renew(fences: readonly Fence[], clock: () => number, leaseMs: number): Promise<readonly Fence[]>

  /**
   * Removes what was settled long enough ago, a small transaction at a time: call it with `next` until there is none.
   * An unsettled, parked, dead or quarantined delivery and a conflict are never removed by age, and a suspected replay no
   * sooner than what it resembles. Identity claims live at least 30 days, sends and `once` results as long as their
   * delivery, and a delivery as long as one of its sends is open or unknown. A send under a key of the app's own goes
   * with the ids, unless it is unknown; statuses of unknown ids go after 48 h. It begins with `eraseForgotten`, which
   * looks again at what had not ended.
   */
  prune(pruning: Pruning): Promise<Pruned>

  /**
   * Erases what is kept of forgotten customers, a small transaction at a time: messages, sends and their statuses,
   * results of `once`, and deliveries that nobody handled and that name the customer. Call it until it answers false.
   * An item or a send that has not ended is left to a later pruning. Ids stay as long as any, so that a delivery
   * that comes again is known.
   *
   * @param limit deliveries, items or sends looked at; a transaction may end earlier if they are large.
   */
  eraseForgotten(limit: number): Promise<boolean>

  /** Counts deliveries that `prune` would wipe and remove up to these times. Nothing is changed. */
  prunable(o: Pick<Pruning, 'bytesBefore' | 'idsBefore'>): Promise<Pick<Pruned, 'wiped' | 'removed'>>

  /**
   * Gives back space. If the answer is `whole`, no byte and no fact that pruning has wiped is anywhere in the files,
   * nor a copy of one. That is promised of bytes and facts alone: of rows that go later (ids, customers' digits,
   * replies, `once` results) an old copy can remain in the unused part of a page of an SQLite file, until the page is
   * written over or freed.
   */
  compact(): Promise<Compacted>

  /**
   * Wall time since which the message whose turn is next has waited to be handled; undefined if none waits that could
   * begin. A lane that somebody works on is passed over. It costs the same however much waits.
   */
  waitingSince(now: number): Promise<number | undefined>

  /** Service time at which the next timer or scheduled send is due; undefined if there is none. */
  nextDueAt(): Promise<number | undefined>

  /** Counts what is not settled: deliveries that wait for ingest, items, and sends. */
  waiting(): Promise<Waiting>

  /** Counts what the inbox and the outbox hold, by state. */
  counts(): Promise<{ deliveries: Counts; items: Counts; sends: Counts }>
}

export type Counts = Readonly<Record<string, number>>

/** Limits of one transaction of pruning. Times are wall time, in milliseconds. */
export interface Pruning {
  /** Bytes and facts of deliveries that were settled before this go. */
  readonly bytesBefore: number
  /** All else of deliveries that were settled before this goes; not later than `bytesBefore`. */
  readonly idsBefore: number
  /** Conversations that ended before this go, with their journals and sends; default `idsBefore`. */
  readonly conversationsBefore?: number
  readonly now: number
  /** Nothing is done if a pruning that was given such a time began after this one: of several processes one prunes. */
  readonly unlessSince?: number
  /** Deliveries looked at; a transaction may end earlier if they are large. */
  readonly limit: number
  /** The `next` of the last transaction; absent for the first. */
  readonly after?: PruneMark
}

/**
 * A place in the way of pruning: what forgotten customers left, bytes, the room that these took, rows, claims and statuses
 * that belong to no row, sends of the app's own, and what is kept by customer or by conversation.
 */
export interface PruneMark {
  readonly stage:
    | 'forgotten'
    | 'bytes'
    | 'room'
    | 'rows'
    | 'leftovers'
    | 'sends'
    | 'windows'
    | 'mutes'
    | 'sessions'
    | 'conversations'
  /** The last row of the stage that was looked at; empty at its beginning. */
  readonly at: readonly (number | string)[]
}

export interface Pruned {
  /** Deliveries whose bytes went. */
  readonly wiped: number
  /** Deliveries that went altogether. */
  readonly removed: number
  /** The place to go on from; undefined if all was looked at. */
  readonly next: PruneMark | undefined
  /** The beginning of a later pruning than `unlessSince`, for which nothing was done. */
  readonly begunAt?: number
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

/** A database that was brought back from a backup, and whose sends were not let go since. */
export interface Restored {
  /**
   * `asked`: whoever opened it said so. `noticed`: by its generation. `brought`: its file has no generation beside
   * it, or its server is another one than at its last opening. `earlier`: found so by an earlier opening.
   */
  readonly why: 'asked' | 'noticed' | 'brought' | 'earlier'
  /** Sends that are held for it now. */
  readonly held: number
}

export type * from './admin.ts'
export type * from './deliveries.ts'
export type * from './customers.ts'
export type * from './inbox.ts'
export type * from './items.ts'
export type * from './lanes.ts'
export type * from './outbox.ts'
export { INBOX_STATES } from './admin.ts'
export { OWN_EVENTS, OWN_SUBSCRIPTION } from './deliveries.ts'
export { MOST_COUNTED } from './admin.ts'
export { numberOf } from './lanes.ts'
export { SEND_STATES } from './outbox.ts'

/** The work that is left to do in a store. */
export interface Waiting {
  readonly deliveries: number
  readonly items: number
  readonly sends: number
}
