import type { Acceptance, NewDelivery, StoredDelivery } from './delivery.ts'
import type { InboxAdmin } from './inbox-admin.ts'
import type { Settlement, Ingested, IngestOutcome, StartedItem } from './item.ts'
import type { Claim, Claimed, Fence } from './lane.ts'
import type { Resolution, Resolved, Resumed, SendPage, SendQuery } from './resolve.ts'
import type { Pruned, Pruning, Restored, Compacted } from './maintenance.ts'
import type {
  ClosedThrottle,
  DueSend,
  NewSend,
  OpenedCode,
  OpenedSend,
  ThrottleChange,
  TakeoverState,
  SendRow,
  SendSettlement,
  Mute,
  Via,
} from './send.ts'

/**
 * What every store promises. A record of functions; each write is durable when its promise resolves, and each
 * is one transaction. A store may put the writes of one turn of the event loop into one commit.
 */
export interface Store extends InboxAdmin {
  /**
   * Stores a delivery once. Two keys decide: (subscription, delivery id) and the signed material
   * (subscription, timestamp, digest). Rejects only where storing is impossible; a delivery that fails alone
   * does not take its neighbours along.
   */
  accept(delivery: NewDelivery): Promise<Acceptance>

  /** Stored deliveries that no sort has seen, oldest first. */
  pending(limit: number): Promise<readonly StoredDelivery[]>

  /**
   * Turns a stored delivery into its items, claims identities, moves windows and the ledger, wakes lanes.
   * Where another process was faster it changes nothing.
   */
  ingest(seq: number, sorted: Ingested, now: number): Promise<readonly IngestOutcome[]>

  /**
   * Takes ready lanes, and others' whose lease ran out, and begins in each the item with the oldest payload
   * time: its attempt is counted here. Where a back-off held the lane, or its holder is gone, what has begun before
   * goes first, so that a rerun finds what its first attempt found.
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

  /**
   * Stores an effect's result with the item; the first one stands. False where the lane was lost. What has run must not
   * run again for a commit that failed: like a settlement it rides the next one, and goes before that of its item.
   */
  keepOnce(fence: Fence, item: number, name: string, result: string): Promise<boolean>

  /**
   * Records a send under its key before a byte leaves. A known key gives the recorded send back; one that was surely
   * not sent (refused, skipped, cancelled) is opened again with the new body. A reply is skipped while the bot is
   * silent for its customer, and held where the number's queue is stopped. With a fence: `undefined` where the lane
   * was lost.
   */
  openSend(send: NewSend, fence?: Fence): Promise<OpenedSend | undefined>

  /** Takes lanes of sends; the work is the head of each, not yet begun. */
  claimSends(claim: Claim): Promise<Claimed<DueSend>>

  /**
   * Commits that an attempt begins, and by which of the two bodies; not where it was cancelled since it was claimed, nor
   * where it was then asked for again, for later or with other bytes than those that the caller holds.
   */
  beginSend(fence: Fence, send: string, via: Via, now: number, bytes?: string): Promise<'begun' | 'gone' | 'lost'>

  /** Settles an attempt and gives the lane's next send, or releases the lane. Never dropped, like `settleItem`. */
  settleSend(
    fence: Fence,
    send: string,
    settlement: SendSettlement,
    next: { now: number; goOn: boolean },
    queue?: { number: string; move: ThrottleChange },
  ): Promise<{ held: boolean; next: DueSend | undefined }>

  /**
   * Records a one-time code, whose body here is withheld, in a lane of its own that the caller holds. The first of
   * `keys` that no earlier one of the same cause and slot has becomes its key: they are raised before a new code goes
   * out, and there are at most three. A code whose holder is gone is `lost_code`.
   */
  openCode(
    code: NewSend,
    keys: readonly string[],
    lease: { owner: string; until: number; now: number },
  ): Promise<OpenedCode>

  /** Settles an attempt at a code; its lane ends with it. False where the lane was lost. Never dropped. */
  settleCode(fence: Fence, send: string, settlement: SendSettlement, now: number): Promise<boolean>

  /** Takes back a send that surely did not go out yet and is not under way. False where there is none. */
  cancelSend(key: string, now: number): Promise<boolean>

  /** Has closed queues, of one number or of all, send their probe at once. */
  probeThrottles(number?: string): Promise<void>

  /**
   * Keeps replies to a customer back; a `BOT` that is older than what was said since changes nothing, and a silence for
   * another reason is not shortened. False: lane lost.
   */
  mute(silence: Mute, fence?: Fence): Promise<boolean>
  /** Ends a silence at this service time, also one of a time to come. False where the lane was lost. */
  unmute(who: { number: string; customer: string }, at: number, fence?: Fence): Promise<boolean>
  /**
   * Erases what is kept of a customer: messages, sends and what was told of them, session, window, results of `once`.
   * What surely did not go out is cancelled; what is being handled or sent is erased by the upkeep once it has ended.
   * Ids stay as long as any, so that a delivery that comes again is known. False where the lane was lost.
   */
  forget(who: { number: string; customer: string }, now: number, fence?: Fence): Promise<boolean>
  /** What was stored of a customer with a settlement and has not expired at this service time. */
  sessionOf(
    number: string,
    customer: string,
    at: number,
  ): Promise<{ readonly value: string; readonly version: number } | undefined>
  /** Random bytes that were made when they were first asked for, and are the same ever after. */
  secret(name: string): Promise<Uint8Array>
  /** How a customer is served besides the bot, at this service time. */
  takeoverOf(number: string, customer: string, at: number): Promise<TakeoverState>

  /**
   * Which of these statuses of a message (a send's id, else the message's) this item tells first, each of them being
   * told once. Asked again for the same item it gives the same answer.
   */
  claimReached(item: number, message: string, statuses: readonly string[]): Promise<readonly string[]>
  /** Whether a send to that customer, or to anybody of that number, had begun by that wall time and has not ended. */
  hadBegun(number: string, customer: string | undefined, by: number): Promise<boolean>
  /** Whether the outcome of any send to that customer is `unknown`, so that it may stand on the phone without our knowing. */
  hasUnknown(number: string, customer: string): Promise<boolean>

  send(id: string): Promise<SendRow | undefined>
  sendByKey(key: string): Promise<SendRow | undefined>
  /** Sends in the order in which they were asked for, the newest first, a page at a time: ask with `next` until there is none. */
  listSends(query: SendQuery): Promise<SendPage>
  /** The queues that are stopped, and those whose pause is not over at this wall time. */
  closedThrottles(now: number): Promise<readonly ClosedThrottle[]>
  /** The send that a status speaks of, by either id, with the statuses known of it. */
  sendOf(ids: { messageId?: string; upstreamId?: string }): Promise<SendRow | undefined>
  statusesOf(send: SendRow): Promise<readonly { status: string; at: number; reason: string | undefined }[]>

  /** Service time of the customer's last message; undefined where none with a trusted time is known. */
  windowOf(number: string, customer: string): Promise<number | undefined>

  /**
   * Prolongs the leases of lanes that are in hand; one that was lost stays lost. Ends those of others that only a clock
   * which has gone back since can have given, and so the waits of sends and of closed queues; what an item waits for in
   * a lane that such a clock let go is shortened by as much as it went back.
   */
  renew(fences: readonly Fence[], now: number, leaseMs: number): Promise<void>

  /** The offset that the newest delivery came with; 0 where there is none. */
  lastClockOffset(): Promise<number>

  /** Calls back after each commit that made work for a dispatcher or an outbox. The answer unsubscribes. */
  onWork(listener: (work: Work) => void): () => void

  /** Counts of what the inbox and the outbox hold, by state. */
  counts(): Promise<{ deliveries: Counts; items: Counts; sends: Counts }>

  /**
   * Lets held sends go, of one number or of all: a closed queue is tried at once, and what a restored database held
   * goes out as `possiblyTwice`. One whose attempt was under way ends as `unknown` where the ten minutes of its
   * repeats are over.
   */
  resumeSends(o: { number?: string; now: number }): Promise<Resumed>

  /**
   * What a person says of a send. `accepted`: it did arrive. `resend`: the same bytes go out under the same key, as
   * `possiblyTwice` where the first ones may have arrived; then without a fallback, which has another key, so that the
   * service could not tell the two apart. `drop`: settled for good, and no rerun opens it again. Where its state does
   * not allow that (`resolutionsOf`), nothing is changed. Undefined where there is no such send.
   */
  resolveSend(id: string, as: Resolution, now: number): Promise<Resolved | undefined>

  /**
   * Removes what was settled long enough ago, a small transaction at a time: call it with `next` until there is none.
   * What is unsettled, parked, dead, quarantined or a conflict is never removed by age, and a suspected replay no sooner
   * than what it resembles. Identity claims live at least 30 days,
   * sends and `once` results as long as their delivery, and a delivery as long as one of its sends is open or unknown.
   * What the app sent by a key of its own goes with the ids, unless it is unknown; statuses of unknown ids after 48 h.
   */
  prune(pruning: Pruning): Promise<Pruned>

  /**
   * What a store does for itself now and then. After it, where it was `whole`, no byte and no fact that pruning has
   * wiped is anywhere in the files, nor a copy of one. That is promised of bytes and facts alone: of rows that go later
   * (ids, customers' digits, replies, `once` results) an old copy can remain in the unused part of a page of an SQLite
   * file, until the page is written over or freed.
   */
  compact(): Promise<Compacted>

  /** Set where the database was brought back from a backup, and its sends were not let go since. */
  readonly restored: Restored | undefined

  /** Whether this opening made it: then it is a first start. */
  readonly isNew: boolean

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
  SessionWrite,
  Settlement,
  Ingested,
  IngestOutcome,
  StartedItem,
  WindowMove,
} from './item.ts'
export type { Claim, Claimed, Fence, Held, LaneKind } from './lane.ts'
export type { Pruned, PruneMark, Pruning, Restored, Compacted } from './maintenance.ts'
export { INBOX_STATES } from './inbox.ts'
export type {
  DeliveryDetail,
  DeliveryPage,
  DeliveryQuery,
  DeliveryRow,
  Holding,
  InboxState,
  ItemDetail,
  ItemRow,
  RecordedDelivery,
} from './inbox.ts'
export type { InboxAdmin } from './inbox-admin.ts'
export { resolutionsOf } from './resolve.ts'
export type { Resolution, Resolved, Resumed, SendPage, SendQuery } from './resolve.ts'
export { isGoingOut, isSurelyNotSent, PROBE_EVERY_MS, SEND_STATES } from './send.ts'
export type {
  ClosedThrottle,
  DueSend,
  NewSend,
  OpenedCode,
  OpenedSend,
  NumberThrottle,
  ThrottleChange,
  TakeoverState,
  SendRow,
  Mute,
  SendSettlement,
  SendState,
  Via,
} from './send.ts'
