import type { Ingested, Store } from '../port/index.ts'
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

/** The operations of a store; the rest of a store is its engine's own. */
export type Operations = Omit<Store, 'clock' | 'restored' | 'isNew' | 'openSendIn' | 'onWork' | 'compact' | 'close'>

/** The operations of a store over an engine. */
export function operationsOver({ write, portion, keep, read, ...engine }: Engine): Operations {
  const operations: Operations = {
    accept: (delivery, o) =>
      engine.accept((tx) => accept(tx, delivery, o), {
        ...o,
        at: oldestOf(o?.ingested),
        unwanted: ({ started }) => started && letGo(operations, [started], delivery.receivedAt),
      }),
    pending: (limit) => read((tx) => pendingDeliveries(tx, limit)),
    ingest: (seq, ingested, now) => write((tx) => ingest(tx, seq, ingested, now)),
    lastClockOffset: () => read(lastClockOffset),
    hasDeliveriesOf: (subscription) => read(() => hasDeliveriesOf(subscription)),
    subscriptions: () => read(subscriptions),

    claimItems: (claim) =>
      write((tx) => claimItems(tx, claim), { unwanted: ({ held }) => letGo(operations, held, claim.now) }),
    settleItem: (fence, item, settlement, next) =>
      keep((tx) => settleItem(tx, fence, item, settlement, next), { mayWait: true }),
    onceResult: (item, name) => read(() => onceResult(item, name)),
    keepOnce: (fence, item, name, result) => keep(() => keepOnce(fence, item, name, result)),
    claimReached: (item, message, statuses) => write(() => claimReached(item, message, statuses)),

    journalOf: (conversation) => read(() => journalOf(conversation)),
    keepStep: (fence, item, conversation, step, now) => keep(() => keepStep(fence, item, conversation, step, now)),
    recordEntry: (entry, now, fence) => write((tx) => recordEntry(tx, entry, now, fence)),
    listConversations: (query) => read(() => listConversations(query)),
    endConversation: (id, now) => write(() => endConversation(id, now)),

    openSend: (send, o) =>
      write((tx) => openSend(tx, send, o), {
        unwanted: (late) => late?.begun && letSendGo(operations, late.begun, send.createdAt),
      }),
    claimSends: (claim) =>
      write((tx) => claimSends(tx, claim), { unwanted: ({ held }) => letSendsGo(operations, held, claim.now) }),
    beginSend: (fence, send, via, now, bytes) => write(() => beginSend(fence, send, via, now, bytes)),
    settleSend: (fence, send, settlement, next, throttle, isAwaited) =>
      keep((tx) => settleSend(tx, fence, send, settlement, next, throttle, isAwaited), {
        mayWait: settlement.as === 'accepted',
      }),
    stopAwaiting: (id) => write(() => stopAwaiting(id)),
    openCode: (code, keys, lease) => write((tx) => openCode(tx, code, keys, lease)),
    cancelSend: (key, now) => write(() => cancelSend(key, now)),
    closedThrottles: (now) => read(() => closedThrottles(now)),
    findSend: (by) => read(() => findSend(by)),
    statusesOf: (send) => read(() => statusesOf(send)),
    underWay: (number, customer, by) => read(() => underWay(number, customer, by)),

    customerOf: (number, customer, at) => read(() => customerOf(number, customer, at)),
    // As a write, which finds what was settled and waits for a commit.
    history: (who, last) => write(() => history(who, last)),
    putSession: (who, session) => write(() => putSession(who, session)),
    mute: (asked, fence) => write(() => mute(asked, fence)),
    forget: (who, now, fence) => write((tx) => forget(tx, who, now, fence)),
    holding: (customer) => read(() => holding(customer), { long: true }),
    keptOf: (customer) => read(() => keptOf(customer), { long: true }),

    // Nobody waits for it.
    addShapes: (shapes) => addShapes((operation) => keep(operation, { mayWait: true }), shapes),
    keepMapping: (given) => write(() => keepMapping(given)),
    mapping: () => read(mapping),

    waitingSince: (now) => read(() => waitingSince(now)),
    nextDueAt: () => read(nextDueAt),
    waiting: () => read(waiting),
    counts: () => read(counts, { long: true }),
    listDeliveries: (query) => read(() => listDeliveries(query), { long: true }),
    deliveries: (seqs) => read(() => deliveries(seqs)),
    deliveriesWithId: (id) => read(() => deliveriesWithId(id)),
    deliveryDetail: (seq) => read(() => deliveryDetail(seq)),
    recordedDeliveries: (query) => recordedDeliveries(read, query),
    listSends: (query) => read(() => listSends(query), { long: true }),
    resolveSend: (id, as, now) => write((tx) => resolveSend(tx, id, as, now)),
    ...inPortions(portion),

    recordAct: (act) => write(() => recordAct(act)),
    endAct: (seq, count) => write(() => endAct(seq, count)),
    listActs: (query) => read(() => listActs(query)),
    glance: () => read(glance),
    restingSeqs: (query) => read(() => restingSeqs(query)),
    listTimers: (query) => read(() => listTimers(query)),
    timersOf: (who) => read(() => timersOf(who)),
    scheduledSends: (query) => read(() => scheduledSends(query)),
    sendsWithRef: (ref, limit) => read(() => sendsWithRef(ref, limit)),
    // As writes, which go by their indexes before a server has counted its rows.
    numbersOf: (customer) => write(() => numbersOf(customer)),
    latestOf: (who, last) => write(() => latestOf(who, last)),

    // Only the first start of all writes: none waits for those that are at work.
    secret: async (name) => (await read(() => knownSecret(name))) ?? write(() => secret(name)),
    renew: (fences, clock, leaseMs) =>
      write(function* (tx) {
        const now = clock()
        yield* followClock(tx, now)
        return yield* renewLanes(fences, now, leaseMs)
      }),
    eraseForgotten: (limit) => portion((tx) => eraseForgotten(tx, limit)),
    prunable: (o) => read(() => prunable(o), { long: true }),
    prune: (pruning) => portion((tx) => prune(tx, pruning)),
  }
  return operations
}

/** The oldest payload time of a delivery's items, which need not be in the order of their times. */
function oldestOf(ingested: Ingested | undefined): number | undefined {
  return ingested?.items.reduce<number | undefined>((oldest, { at }) => Math.min(oldest ?? at, at), undefined)
}
