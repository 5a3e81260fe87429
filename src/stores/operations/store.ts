import type {
  Accepted,
  AppTransaction,
  Beginning,
  BeginningSend,
  Claim,
  Claimed,
  Compacted,
  DueSend,
  Fence,
  Ingested,
  NewDelivery,
  NewSend,
  OpenedSend,
  Restored,
  SeenShape,
  StartedItem,
  Work,
} from '../port/index.ts'
import { accept } from './inbox/accept.ts'
import { ingest } from './inbox/ingest.ts'
import { pendingDeliveries } from './inbox/pending.ts'
import { customerOf, holding, mute, putSession } from './items/customers.ts'
import { followClock } from './lanes/clock-rollback.ts'
import { renewLanes } from './lanes/lanes.ts'
import { eraseForgotten, forget } from './pruning/forget.ts'
import { prunable } from './pruning/stages.ts'
import { prune } from './pruning/prune.ts'
import {
  counts,
  glance,
  listTimers,
  scheduledSends,
  sendsWithRef,
  timersOf,
  waiting,
  waitingSince,
} from './reads/glance.ts'
import { history, keptOf, latestOf, numbersOf } from './reads/history.ts'
import {
  deliveries,
  deliveriesWithId,
  deliveryDetail,
  hasDeliveriesOf,
  lastClockOffset,
  listDeliveries,
  recordedDeliveries,
  type RecordedQuery,
  subscriptions,
} from './reads/list-deliveries.ts'
import { endConversation, journalOf, keepStep, listConversations, recordEntry } from './turns/conversations.ts'
import { beginSend, claimSends } from './sends/claim-sends.ts'
import { findSend, listSends, restingSeqs, underWay } from './sends/sends.ts'
import { cancelSend, openCode, resolveSend, settleSend, stopAwaiting } from './sends/settle-send.ts'
import { openSend } from './sends/open-send.ts'
import { claimReached, statusesOf } from './sends/statuses.ts'
import { closedThrottles } from './sends/throttles.ts'
import { nextDueAt } from './turns/due-timers.ts'
import { claimItems, keepOnce, letGo, letSendGo, letSendsGo, onceResult, settleItem } from './turns/item-turns.ts'
import { endAct, listActs, recordAct } from './acts.ts'
import { inPortions } from './in-portions.ts'
import { addShapes, keepMapping, mapping } from './payloads.ts'
import { knownSecret, secret } from './secrets.ts'
import type { Steps, Tx } from './steps.ts'

/** Runs operations over a database. Each write is a transaction, or shares one with others of the same moment. */
export interface Engine {
  /** `unwanted` is told of what was done all the same after its caller was refused. */
  write<T>(operation: (tx: Tx) => Steps<T>, o?: Unwanted<T>): Promise<T>
  /**
   * A write of one portion of many rows. The next portion waits for as long as this one has kept others from writing.
   */
  portion<T>(operation: (tx: Tx) => Steps<T>): Promise<T>
  /** A write that must land: if its commit fails, it is repeated. `mayWait`: nobody waits for it. */
  keep<T>(operation: (tx: Tx) => Steps<T>, o?: { readonly mayWait: boolean }): Promise<T>
  /**
   * Writes an acceptance: those that share a transaction go in the order of their payload times. It waits at most
   * `waitMs` for another process.
   */
  accept<T>(
    operation: (tx: Tx) => Steps<T>,
    o: { readonly at: number | undefined; readonly waitMs?: number } & Unwanted<T>,
  ): Promise<T>
  /** `long`: it may go through all rows of a table, for a person who waits for that. */
  read<T>(operation: (tx: Pick<Tx, 'newerSchema'>) => Steps<T>, o?: { readonly long?: boolean }): Promise<T>
}

interface Unwanted<T> {
  readonly unwanted?: (late: T) => void
}

export type Operations = ReturnType<typeof operationsOver>

/**
 * A store is a record of functions; each write is durable when its promise resolves, and each is one transaction, but those
 * of a person on any number of rows, which are many small ones. A store may put the writes of one turn of the event loop
 * into one commit. What an operation promises stands at the function of its name.
 */
export interface Store extends Operations {
  /** Set if the database was brought back from a backup, and its sends were not let go since. */
  readonly restored: Restored | undefined

  /** This opening made the store: it is a first start. */
  readonly isNew: boolean

  /**
   * Wall time, in milliseconds since the epoch, by which leases and waits go: the machine's, or that of a database's server,
   * so that all its processes agree. Every `now` that is given to an operation and is wall time is this one.
   */
  clock(): number

  /**
   * Records a send in a transaction of the app's own, with it or not at all: it is scheduled, and found once that is
   * committed. However long the transaction stays open, nothing in the store waits for it.
   *
   * @throws SwitchhookError `options_invalid` if the connection has no transaction open, or is to another database than
   * the store's, and in a store that no transaction of an app can write; `store_unavailable`; the driver's own error of a
   * conflict, for which the app repeats its transaction.
   */
  openSendIn(tx: AppTransaction, send: NewSend & { readonly dueAt: number }): Promise<OpenedSend>

  /**
   * Gives back space. If the answer is `whole`, no byte and no fact that pruning has wiped is anywhere in the files,
   * nor a copy of one. That is promised of bytes and facts alone: of rows that go later (ids, customers' digits,
   * replies, `once` results) an old copy can remain in the unused part of a page of an SQLite file, until the page is
   * written over or freed.
   */
  compact(): Promise<Compacted>

  /** Calls back after each commit that made work. The answer unsubscribes. */
  onWork(listener: (work: Work) => void): () => void

  close(): Promise<void>
}

type Asked = readonly unknown[]

export function operationsOver({ write, portion, keep, read, ...engine }: Engine) {
  const reads =
    <A extends Asked, T>(operation: (...asked: A) => Steps<T>, o?: { readonly long: boolean }) =>
    (...asked: A): Promise<T> =>
      read(() => operation(...asked), o)
  const writes =
    <A extends Asked, T>(operation: (...asked: A) => Steps<T>) =>
    (...asked: A): Promise<T> =>
      write(() => operation(...asked))
  const transacts =
    <A extends Asked, T>(operation: (tx: Tx, ...asked: A) => Steps<T>, run: Engine['portion'] = write) =>
    (...asked: A): Promise<T> =>
      run((tx) => operation(tx, ...asked))
  const keeps =
    <A extends Asked, T>(operation: (...asked: A) => Steps<T>) =>
    (...asked: A): Promise<T> =>
      keep(() => operation(...asked))
  const LONG = { long: true }

  const settle = {
    settleItem: (...asked: Parameters<typeof settleItem> extends [Tx, ...infer A] ? A : never) =>
      keep((tx) => settleItem(tx, ...asked), { mayWait: true }),
    settleSend: (...asked: Parameters<typeof settleSend> extends [Tx, ...infer A] ? A : never) =>
      keep((tx) => settleSend(tx, ...asked), { mayWait: asked[2].as === 'accepted' }),
  }

  return {
    ...settle,

    accept: (
      delivery: NewDelivery,
      o?: { readonly ingested?: Ingested; readonly begin?: Beginning; readonly waitMs?: number },
    ): Promise<Accepted> =>
      engine.accept((tx) => accept(tx, delivery, o), {
        ...o,
        at: oldestOf(o?.ingested),
        unwanted: ({ started }) => started && letGo(settle, [started], delivery.receivedAt),
      }),
    pending: (limit: number) => read((tx) => pendingDeliveries(tx, limit)),
    ingest: transacts(ingest),
    lastClockOffset: reads(lastClockOffset),
    hasDeliveriesOf: reads(hasDeliveriesOf),
    subscriptions: reads(subscriptions),

    claimItems: (claim: Claim): Promise<Claimed<StartedItem>> =>
      write((tx) => claimItems(tx, claim), { unwanted: ({ held }) => letGo(settle, held, claim.now) }),
    onceResult: reads(onceResult),
    keepOnce: keeps(keepOnce),
    claimReached: writes(claimReached),

    journalOf: reads(journalOf),
    keepStep: keeps(keepStep),
    recordEntry: transacts(recordEntry),
    listConversations: reads(listConversations),
    endConversation: writes(endConversation),

    openSend: (
      send: NewSend,
      o?: { readonly fence?: Fence | undefined; readonly begin?: BeginningSend | undefined },
    ): Promise<OpenedSend | undefined> =>
      write((tx) => openSend(tx, send, o), {
        unwanted: (late) => late?.begun && letSendGo(settle, late.begun, send.createdAt),
      }),
    claimSends: (claim: Claim): Promise<Claimed<DueSend>> =>
      write((tx) => claimSends(tx, claim), { unwanted: ({ held }) => letSendsGo(settle, held, claim.now) }),
    beginSend: writes(beginSend),
    stopAwaiting: writes(stopAwaiting),
    openCode: transacts(openCode),
    cancelSend: writes(cancelSend),
    closedThrottles: reads(closedThrottles),
    findSend: reads(findSend),
    statusesOf: reads(statusesOf),
    underWay: reads(underWay),

    customerOf: reads(customerOf),
    // As a write, which finds what was settled and waits for a commit.
    history: writes(history),
    putSession: writes(putSession),
    mute: writes(mute),
    forget: transacts(forget),
    holding: reads(holding, LONG),
    keptOf: reads(keptOf, LONG),

    // Nobody waits for it.
    addShapes: (shapes: readonly SeenShape[]) => addShapes((operation) => keep(operation, { mayWait: true }), shapes),
    keepMapping: writes(keepMapping),
    mapping: reads(mapping),

    waitingSince: reads(waitingSince),
    nextDueAt: reads(nextDueAt),
    waiting: reads(waiting),
    counts: reads(counts, LONG),
    listDeliveries: reads(listDeliveries, LONG),
    deliveries: reads(deliveries),
    deliveriesWithId: reads(deliveriesWithId),
    deliveryDetail: reads(deliveryDetail),
    recordedDeliveries: (query: RecordedQuery) => recordedDeliveries(read, query),
    listSends: reads(listSends, LONG),
    resolveSend: transacts(resolveSend),
    ...inPortions(portion),

    recordAct: writes(recordAct),
    endAct: writes(endAct),
    listActs: reads(listActs),
    glance: reads(glance),
    restingSeqs: reads(restingSeqs),
    listTimers: reads(listTimers),
    timersOf: reads(timersOf),
    scheduledSends: reads(scheduledSends),
    sendsWithRef: reads(sendsWithRef),
    // As writes, which go by their indexes before a server has counted its rows.
    numbersOf: writes(numbersOf),
    latestOf: writes(latestOf),

    /** Random bytes that are made when they are first asked for, and are the same ever after. */
    secret: async (name: string): Promise<Uint8Array> =>
      // Only the first start of all writes: none waits for those that are at work.
      (await read(() => knownSecret(name))) ?? write(() => secret(name)),
    /**
     * Prolongs leases. If the clock went back, waits of items, sends and throttles move with it, so that nothing waits
     * longer than was meant. Resolves with the fences whose lanes were lost.
     *
     * @param clock wall time, read within the transaction: one that was read before a wait for another process would seem
     * to have gone back. Half a second is no sign of that, as processes agree about the time of a server no better.
     */
    renew: (fences: readonly Fence[], clock: () => number, leaseMs: number): Promise<readonly Fence[]> =>
      write(function* (tx) {
        const now = clock()
        yield* followClock(tx, now)
        return yield* renewLanes(fences, now, leaseMs)
      }),
    eraseForgotten: transacts(eraseForgotten, portion),
    prunable: reads(prunable, LONG),
    prune: transacts(prune, portion),
  }
}

/** The oldest payload time of a delivery's items, which need not be in the order of their times. */
function oldestOf(ingested: Ingested | undefined): number | undefined {
  return ingested?.items.reduce<number | undefined>((oldest, { at }) => Math.min(oldest ?? at, at), undefined)
}
