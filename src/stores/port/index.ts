import type { Acceptance, NewDelivery, StoredDelivery } from './delivery.ts'
import type { Settlement, Sorted, SortOutcome, StartedItem } from './item.ts'
import type { Claim, Claimed, Fence } from './lane.ts'
import type { Pruned, Pruning, Restored, Tidied } from './upkeep.ts'
import type { DueSend, NewSend, OpenedSend, SendRow, SendSettlement, Via } from './send.ts'

/**
 * What every store promises. A record of functions; each write is durable when its promise resolves, and each
 * is one transaction. A store may put the writes of one turn of the event loop into one commit.
 */
export interface Store {
  /**
   * Stores a delivery once. Two keys decide: (subscription, delivery id) and the signed material
   * (subscription, timestamp, digest). Rejects only where storing is impossible; a delivery that fails alone
   * does not take its neighbours along.
   */
  accept(delivery: NewDelivery): Promise<Acceptance>

  /** Stored deliveries that no sort has seen, oldest first. */
  unsorted(limit: number): Promise<readonly StoredDelivery[]>

  /**
   * Turns a stored delivery into its items, claims identities, moves windows and the ledger, wakes lanes.
   * Where another process was faster it changes nothing.
   */
  sort(seq: number, sorted: Sorted, now: number): Promise<readonly SortOutcome[]>

  /**
   * Takes ready lanes, and others' whose lease ran out, and begins in each the item with the oldest payload
   * time: its attempt is counted here.
   */
  claimItems(claim: Claim): Promise<Claimed<StartedItem>>

  /**
   * Settles a begun item and begins the lane's next one, or releases the lane where nothing is ready or
   * `goOn` is false. `held: false` says that the lane was lost: nothing was changed. Never dropped: where a
   * commit fails it rides the next one.
   */
  settleItem(
    fence: Fence,
    item: number,
    settlement: Settlement,
    next: { now: number; goOn: boolean },
  ): Promise<{ held: boolean; next: StartedItem | undefined }>

  /** What `keepOnce` stored under that name in an earlier run of the item, as JSON. */
  onceResult(item: number, name: string): Promise<string | undefined>

  /** Stores an effect's result with the item; the first one stands. False where the lane was lost. */
  keepOnce(fence: Fence, item: number, name: string, result: string): Promise<boolean>

  /**
   * Records a send under its key before a byte leaves. A known key gives the recorded send back; a refused one
   * is opened again with the new body. With a fence: `undefined` where the lane was lost.
   */
  openSend(send: NewSend, fence?: Fence): Promise<OpenedSend | undefined>

  /** Takes lanes of sends; the work is the head of each, not yet begun. */
  claimSends(claim: Claim): Promise<Claimed<DueSend>>

  /** Commits that an attempt begins, and by which of the two bodies. False where the lane was lost. */
  beginSend(fence: Fence, send: string, via: Via, now: number): Promise<boolean>

  /** Settles an attempt and gives the lane's next send, or releases the lane. Never dropped, like `settleItem`. */
  settleSend(
    fence: Fence,
    send: string,
    settlement: SendSettlement,
    next: { now: number; goOn: boolean },
  ): Promise<{ held: boolean; next: DueSend | undefined }>

  send(id: string): Promise<SendRow | undefined>
  /** The send that a status speaks of, by either id, with the statuses known of it. */
  sendOf(ids: { messageId?: string; upstreamId?: string }): Promise<SendRow | undefined>
  statusesOf(send: SendRow): Promise<readonly { status: string; at: number; reason: string | undefined }[]>

  /** Service time of the customer's last message; undefined where none with a trusted time is known. */
  windowOf(number: string, customer: string): Promise<number | undefined>

  /**
   * Prolongs the leases of lanes that are in hand; one that was lost stays lost. Ends those of others that only a clock
   * which has gone back since can have given.
   */
  renew(fences: readonly Fence[], now: number, leaseMs: number): Promise<void>

  /** The offset that the newest delivery came with; 0 where there is none. */
  lastClockOffset(): Promise<number>

  /** Calls back after each commit that made work for a dispatcher or an outbox. The answer unsubscribes. */
  onWork(listener: (work: Work) => void): () => void

  /** Counts of what the inbox and the outbox hold, by state. */
  counts(): Promise<{ deliveries: Counts; items: Counts; sends: Counts }>

  /**
   * Puts dead and parked items back: as if they had come just now, with all their attempts, and with what their
   * handlers had finished. The answer names those that were put back; what waits, runs or is done is not touched, so
   * that it runs once however often it is asked for.
   */
  retryItems(ids: readonly number[], now: number): Promise<readonly number[]>

  /**
   * Has deliveries sorted once more: those held as `suspected_replay`, `conflict` or `quarantined`, and `ignored`
   * ones, which are then dispatched as if they were new, and those with parked items, which the new sort replaces, by the same identity claims. An item that
   * ran before it was parked keeps its cause, and so its replies. The answer names those that wait for the sort now;
   * not those whose headers cannot be understood, whose bytes are gone, or that have nothing at rest.
   */
  sortAgain(seqs: readonly number[]): Promise<readonly number[]>

  /**
   * Lets held sends go, of one number or of all: a stopped queue is tried at once, and what a restored database held
   * goes out as `possiblyTwice`. One whose attempt was under way ends as `unknown` where the ten minutes of its
   * repeats are over. Resolves to their number.
   */
  resumeSends(o: { number?: string; now: number }): Promise<number>

  /**
   * Removes what was settled long enough ago, a small transaction at a time: call it with `next` until there is none.
   * What is unsettled, parked, dead or quarantined is never removed by age. Identity claims live at least 30 days,
   * sends and `once` results as long as their delivery, and a delivery as long as one of its sends is open or unknown.
   * What the app sent by a key of its own stays.
   */
  prune(pruning: Pruning): Promise<Pruned>

  /**
   * What a store does for itself now and then; after pruning it takes what was removed out of the log and the file. In
   * SQLite an old copy of a row can outlive that in the unused part of a page that was once rebuilt, until the page
   * is written over or freed; only a VACUUM rules that out.
   */
  tidy(): Promise<Tidied>

  /** Set where the database was brought back from a backup, and its sends were not let go since. */
  readonly restored: Restored | undefined

  close(): Promise<void>
}

/** What there may be to do: in the inbox, or in the outbox. */
export type Work = 'items' | 'sends'

export type Counts = Readonly<Record<string, number>>

export type { Acceptance, DeliveryState, NewDelivery, StoredDelivery } from './delivery.ts'
export type {
  Identity,
  ItemKind,
  ItemState,
  NewItem,
  NewStatus,
  Settlement,
  Sorted,
  SortOutcome,
  StartedItem,
  WindowMove,
} from './item.ts'
export type { Claim, Claimed, Fence, Held, LaneKind } from './lane.ts'
export type { Pruned, PruneMark, Pruning, Restored, Tidied } from './upkeep.ts'
export type {
  DueSend,
  NewSend,
  OpenedSend,
  SendRow,
  SendSettlement,
  SendState,
  Via,
} from './send.ts'
