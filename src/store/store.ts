import * as builtIn from '../built-in/store-operations.ts'
import { type Engine, inPortions, Unstorable, under, type Ways, waysOf } from './database/engine.ts'
import { accept, sharedBy, type NewDelivery, type Accepted } from './inbox/accept.ts'
import { sharedBySend, openSend, type BeginningSend, type OpenedSend } from './outbox/open.ts'
import { ingest } from './inbox/ingest.ts'
import { reingest, unreadDeliveries } from './inbox/unread.ts'
import { beginSend, claimSends } from './outbox/claim.ts'
import { resumeSends, type Restored } from './outbox/restored.ts'
import { keysOfStatus, statusesOf, statusForHandlers, withStatuses } from './outbox/statuses.ts'
import { closedThrottles } from './outbox/throttles.ts'
import { type Steps, type Tx, untilLong, type WorkKind } from './database/steps.ts'
import { discard } from './maintenance/removal.ts'
import { eraseEnded, eraseForgotten, forget } from './maintenance/forget.ts'
import { findOld, passed, prune, type Pruned, type Pruning } from './maintenance/prune.ts'
import { claimItems, nextDueAt } from './work/claim-items.ts'
import { lastClockOffset, sentEventSince, retryItem, type StartedItem } from './work/items.ts'
import { freeRuns, renew, renewOwn, runsOf } from './work/processes.ts'
import { keepOnce, onceResult, type Settled, settleItem } from './work/settle.ts'
import { beginRecustomer, keepSameCustomer, type MoveCursor, recustomer } from './maintenance/recustomer.ts'
import { knownSecret, secret } from './database/meta.ts'
import { forgottenCustomers } from './customers/forgotten.ts'
import { settleSend } from './outbox/settle.ts'
import { recordedDeliveries, type RecordedQuery } from './reads/deliveries.ts'
import { counts, countWaiting, needsPerson, trend } from './reads/overview.ts'
import type { Recustoming } from './database/store-effects.ts'
import type { AllOf } from './database/effects-of-features.ts'
import type { IngestOutcome, Ingested } from './inbox/arrive.ts'
import type { NewSend } from './outbox/rows.ts'
import type { DueSend, SendSettlement } from './outbox/send-attempts.ts'
import type { Lease, Claim, Claimed, Fence, Begun, Others } from './work/lanes.ts'
import * as customers from './customers/customer.ts'
import * as optOuts from './outbox/opt-outs.ts'
import * as sameCustomers from './maintenance/recustomer.ts'
import * as meta from './database/meta.ts'
import * as sends from './outbox/rows.ts'
import * as settling from './outbox/settle.ts'
import * as inbox from './reads/deliveries.ts'
import * as histories from './reads/history.ts'
import * as overview from './reads/overview.ts'

interface OperationsOfFeature {
  reading?(ways: Ways): object
  others(ways: Ways): object
}

type BuiltIn = (typeof builtIn)[keyof typeof builtIn]
type ReadingOfFeatures = object & AllOf<ReturnType<Extract<BuiltIn, { reading: unknown }>['reading']>>
type OthersOfFeatures = object & AllOf<ReturnType<BuiltIn['others']>>

const OF_FEATURES = Object.values<OperationsOfFeature>(builtIn)

/** A client of the package `pg` with a transaction open, on the store's database. */
export interface AppTransaction {
  // oxlint-disable-next-line typescript/no-explicit-any -- the package is optional, and so are its types
  query(query: any): Promise<any>
}

/** Sizes of an SQLite database: its file and its write-ahead log. */
export interface OnDisk {
  readonly bytes: number
  readonly logBytes: number
  /** Wall time of the last backup by Switchhook; undefined if there was none. */
  readonly backedUpAt: number | undefined
}

export interface Compacted {
  /** True if wiped data is gone from the files; false while another process uses them; undefined over PostgreSQL. */
  readonly whole: boolean | undefined
  /** Bytes of the write-ahead log that remains. */
  readonly logBytes: number
}

export type Operations = ReturnType<typeof operationsOver>

/**
 * Each write is durable when its promise resolves, and is one transaction. The exception is a person's act on many
 * rows, which is split into small ones. Each operation is documented at the function of the same name. Times are
 * milliseconds since the epoch. Those named `at`, `since`, `until`, `dueAt`, `remindAt`, `expiresAt`, `readAt` and
 * `last…` are service time. All others are wall time, unless a comment says otherwise.
 */
export interface Store extends Operations {
  readonly restored: Restored | undefined

  readonly isNew: boolean

  /** Sizes of SQLite's files; undefined over PostgreSQL and in memory. */
  onDisk(): OnDisk | undefined

  /** Wall time for leases and waits, which never goes back. Pass it as the `now` of operations. */
  clock(): number

  /** The machine's own time. Unlike `clock` it can go back. Undefined if `clock` follows a server. */
  readonly timeOfDay?: () => number

  /** True if the clock went back by more than a minute while no process had the database open. */
  readonly clockWentBack?: boolean

  /**
   * Records a send in the app's own transaction. Other reads find the send once the app has committed. Nothing in the
   * store waits for that. @throws SwitchhookError `options_invalid` if no transaction is open, the database is another
   * one, or the store is SQLite; `store_unavailable`; or the driver's error of a conflict, for which the app repeats
   * its transaction.
   */
  openSendIn(tx: AppTransaction, send: NewSend & { readonly dueAt: number }): Promise<OpenedSend>

  /**
   * Compacts the files. `whole`: no file has a byte or fact that pruning has wiped. Of rows that are deleted later
   * (ids, digits, replies, `once` results), a copy can remain in the unused part of a page until that is overwritten.
   */
  compact(): Promise<Compacted>

  /**
   * Calls the listener when there is work. `recheck`: the outcome of a commit was unknown, so rows that are marked as
   * running may not be those that run.
   */
  onWork(listener: (work: WorkKind | 'recheck') => void): () => void

  close(): Promise<void>
}

export type ResultOf<Name extends keyof Operations> = Awaited<ReturnType<Operations[Name]>>

const MOST_ROWS = 250

type Tail<F> = F extends (tx: Tx, ...given: infer A) => unknown ? A : never

export function operationsOver(engine: Engine) {
  const ways = waysOf(engine)
  return {
    ...workOperations(engine, ways),
    ...customerOperations(ways),
    ...sendOperations(engine, ways),
    ...readingOperations(engine, ways),
    ...historyOperations(ways),
    ...(Object.assign({}, ...OF_FEATURES.map(({ others }) => others(ways))) as OthersOfFeatures),
    ...maintenanceOperations(engine, ways),
  }
}

function workOperations(
  { write, persist, read, recheck = () => {}, ...engine }: Engine,
  { reads, writesFreely, transacts }: Ways,
) {
  const settle = {
    settleItem: (...given: Tail<typeof settleItem>): Promise<Settled<StartedItem>> => {
      // A settlement also writes the session and rows of features. So it locks the customer, whichever lane has the
      // item.
      const how = { mayWait: true, ...under(given[0]), lanes: [given[0].lane] }
      const [fence, item, { as }, next] = given
      return persist((tx) => settleOrErase(tx, ...given), how).catch(async (error: unknown) => {
        // A repetition of the item would end with the same error, so the item is settled as dead.
        if (as !== 'done' || !(error instanceof Unstorable)) throw error
        const instead = { as: 'dead', reason: `not_storable: ${error.message}` } as const
        return { ...(await persist((tx) => settleOrErase(tx, fence, item, instead, next), how)), instead }
      })
    },
  }

  // Releases work whose caller was refused, so that it begins again at once. If that fails, the next check of what runs
  // finds the work.
  const release = (begun: readonly Begun<StartedItem>[], now: number) => {
    for (const { fence, work } of begun) {
      const { id, completedHandlers } = work
      settle.settleItem(fence, id, { as: 'released', completedHandlers }, { now, goOn: false }).catch(recheck)
    }
  }

  return {
    ...settle,
    accept: (
      delivery: NewDelivery,
      o?: { readonly ingested?: Ingested; readonly begin?: Lease | undefined; readonly waitMs?: number },
    ): Promise<Accepted> =>
      engine.accept((tx) => accept(tx, delivery, o), {
        ...o,
        at: oldestOf(o?.ingested),
        ...sharedBy(delivery, o?.ingested),
        unwanted: ({ started }) => started && release([started], delivery.receivedAt),
      }),
    unread: (limit: number, except: ReadonlySet<string> = new Set()) =>
      read((tx) => unreadDeliveries(tx, limit, except)),
    async ingest(seq: number, ingested: Ingested, now: number): Promise<readonly IngestOutcome[]> {
      const outcomes: IngestOutcome[] = []
      const portions = inPortions(0, (from) => write((tx) => ingest(tx, seq, ingested, now, from)))
      for await (const done of portions) outcomes.push(...done.outcomes)
      return outcomes
    },
    claimItems: (claim: Claim): Promise<Claimed<StartedItem>> =>
      write((tx) => claimItems(tx, claim), { readsFirst: true, unwanted: ({ begun }) => release(begun, claim.now) }),
    nextDueAt: () => read((tx) => nextDueAt(tx)),
    keepOnce: (...given: Parameters<typeof keepOnce>) => persist(() => keepOnce(...given), under(given[0])),
    onceResult: reads(onceResult),
    lastClockOffset: reads(lastClockOffset),
    sentEventSince: reads(sentEventSince),
    /** Renews the lease. Returns false if another process has declared this one dead: all that it runs is lost. */
    renew(processName: string, clock: () => number, leaseMs: number, others?: Others): Promise<boolean> {
      // The time is read within the transaction. A time from before a wait for another process would be too early.
      const behind = () => write(() => renew(processName, clock(), leaseMs, others))
      if (!engine.withoutLock) return behind()
      return engine.withoutLock(() => renewOwn(processName, clock(), leaseMs)).then((done) => done === true || behind())
    },
    // This runs as a write, after all earlier commits, so the process knows what these have begun before it lists its
    // runs.
    runsOf: writesFreely(runsOf),
    freeRuns: transacts(freeRuns),
  }
}

function* settleOrErase(tx: Tx, ...given: Tail<typeof settleItem>): Steps<Settled<StartedItem>> {
  const settled = yield* settleItem(tx, ...given)
  if (settled.forgotten) yield* eraseEnded(tx, given[1])
  return settled
}

function customerOperations({ write, portion, reads, writes, writesOf }: Ways) {
  return {
    customerOf: reads(customers.customerOf),
    putSession: writesOf(customers.putSession),
    countWaiting: reads(countWaiting),
    optOutOf: reads(optOuts.optOutOf),
    optOut: writes(optOuts.optOut),
    optIn: writes(optOuts.optIn),
    heardOptOut: writes(optOuts.heardOptOut),
    adoptOptOuts: writes(optOuts.adoptOptOuts),

    sameCustomer: reads(sameCustomers.sameCustomer),
    hasCustomers: reads(sameCustomers.hasCustomers),
    keepSameCustomer: writes(sameCustomers.keepSameCustomer),
    /** Returns how many rows were moved, or why none may be moved. An interrupted call may be repeated. */
    async recustomer(o: Recustoming, digest: string | undefined): Promise<number | string> {
      const why = await write((tx) => beginRecustomer(tx, o))
      if (why !== undefined) return why
      let count = 0
      const begin: MoveCursor = { table: 'inbox', after: undefined }
      const portions = inPortions(begin, (from) => portion((tx) => recustomer(tx, o, from, MOST_ROWS)))
      for await (const { moved } of portions) count += moved
      await write(() => keepSameCustomer(digest))
      return count
    },
  }
}

function sendOperations(
  { write, persist, read, recheck = () => {} }: Engine,
  { portion, reads, writesFreely, transacts }: Ways,
) {
  const settle = {
    settleSend: (...given: Tail<typeof settleSend>) =>
      persist((tx) => settleSend(tx, ...given), {
        mayWait: given[2].as === 'accepted',
        // A change of a throttle concerns all sends of its number, so it runs alone. A failed send becomes an item,
        // which needs an id.
        ...(!given[4] && { ...under(given[0]), ids: given[2].as === 'accepted' ? 0 : 1 }),
      }),
  }

  const release = (begun: readonly Begun<DueSend>[], settlement: SendSettlement, now: number) => {
    for (const { fence, work } of begun)
      settle.settleSend(fence, work.send.id, settlement, { now, goOn: false }).catch(recheck)
  }

  return {
    ...settle,
    openSend: (
      send: NewSend,
      o?: { readonly fence?: Fence | undefined; readonly begin?: BeginningSend | undefined },
    ): Promise<OpenedSend | undefined> =>
      write((tx) => openSend(tx, send, o), {
        ...sharedBySend(send, o?.fence),
        unwanted: (late) => late?.begun && release([late.begun], UNUSED, send.createdAt),
      }),
    claimSends: (claim: Claim): Promise<Claimed<DueSend>> =>
      write((tx) => claimSends(tx, claim), {
        readsFirst: true,
        unwanted: ({ begun }) => release(begun, { as: 'not_begun' }, claim.now),
      }),
    beginSend: (...given: Parameters<typeof beginSend>) => write(() => beginSend(...given), under(given[0])),
    statusForHandlers: (...given: Parameters<typeof statusForHandlers>) => {
      const [{ number }, ids, implied] = given
      // If no handler listens for the status, `implied` is empty, and nothing is written.
      if (implied.length === 0) return read(() => statusForHandlers(...given))
      return write(() => statusForHandlers(...given), { keys: keysOfStatus(ids, `reached:${number}/`) })
    },
    useOption: writesFreely(sends.useOption),
    stopAwaiting: writesFreely(settling.stopAwaiting),
    cancelSend: transacts(settling.cancelSend),
    resolveSend: transacts(settling.resolveSend),
    withStatuses: reads(withStatuses),
    underWay: reads(sends.underWay),
    async resumeSends(o: { number?: string | undefined; restored: boolean }) {
      const sum = { throttles: [] as readonly string[], held: 0, restored: 0 }
      for await (const done of inPortions(0, (from) => portion((tx) => resumeSends(tx, o, MOST_ROWS, from)))) {
        sum.throttles = [...sum.throttles, ...done.throttles]
        sum.held += done.held
        sum.restored += done.restored
      }
      return sum
    },
  }
}

/** Operations on a database that is opened to be read, for commands. Pages use them too. */
function readingOperations({ read }: Pick<Engine, 'read'>, ways: Ways) {
  const { reads, readsLong } = ways
  return {
    recordedDeliveries: (query: RecordedQuery) => recordedDeliveries(read, query),
    deliveries: reads(inbox.deliveries),
    deliveriesWithId: reads(inbox.deliveriesWithId),
    deliveryDetail: reads(inbox.deliveryDetail),
    listDeliveries: readsLong(inbox.listDeliveries),
    findSend: reads(sends.findSend),
    listSends: readsLong(sends.listSends),
    statusesOf: reads(statusesOf),
    closedThrottles: reads(closedThrottles),
    customerNamed: reads(sameCustomers.customerNamed),
    forgottenCustomers: reads(forgottenCustomers),
    countKept: readsLong(histories.countKept),
    keptOf: readsLong(histories.keptOf),
    mapping: reads(meta.mapping),
    waitingSince: reads(overview.waitingSince),
    overview: reads(overview.overview),
    counts: readsLong(counts),
    ...(Object.assign({}, ...OF_FEATURES.map(({ reading }) => reading?.(ways))) as ReadingOfFeatures),
  }
}

function historyOperations({ reads, readsLong, writesFreely, behindIndexes }: Ways) {
  return {
    hasDeliveriesOf: reads(inbox.hasDeliveriesOf),
    restingSeqs: reads(inbox.restingSeqs),
    waiting: reads(overview.waiting),
    timersOf: reads(overview.timersOf),
    scheduledSends: reads(overview.scheduledSends),
    sendsWithRef: reads(overview.sendsWithRef),
    needsPerson: readsLong(needsPerson),
    trend: readsLong(trend),
    // These reads run as writes: so they see sends that were just settled, and PostgreSQL uses their indexes even
    // without statistics.
    history: behindIndexes(writesFreely(histories.history)),
    numbersOf: behindIndexes(writesFreely(histories.numbersOf)),
    latestOf: behindIndexes(writesFreely(histories.latestOf)),
  }
}

function maintenanceOperations({ portion, scan = portion, read, write }: Engine, { reads, writes, transacts }: Ways) {
  return {
    retryItems: (ids: readonly number[], now: number) => eachOf(portion, ids, (tx, id) => retryItem(tx, id, now)),
    reingest: (seqs: readonly number[]) => eachOf(portion, seqs, reingest),
    discard: (seqs: readonly number[]) => eachOf(portion, seqs, (_tx, seq) => discard(seq)),
    forget: transacts(forget),
    eraseForgotten: (...given: Tail<typeof eraseForgotten>) => portion((tx) => eraseForgotten(tx, ...given)),
    async prune(pruning: Pruning): Promise<Pruned> {
      const search = findOld(pruning)
      const found = search && (await scan(search))
      if (found?.old.length === 0) return passed(pruning, found)
      return portion((tx) => prune(tx, pruning, found))
    },

    categories: reads(meta.categories),
    listActs: reads(meta.listActs),
    keepMapping: writes(meta.keepMapping),
    keepCategories: writes(meta.keepCategories),
    recordAct: writes(meta.recordAct),
    endAct: writes(meta.endAct),
    secret: async (name: string): Promise<Uint8Array> =>
      // Only the very first start writes the secret. Later starts read it, so that they do not wait for processes that
      // write.
      (await read(() => knownSecret(name))) ?? write(() => secret(name)),
  }
}

function oldestOf(ingested: Ingested | undefined): number | undefined {
  return ingested?.items.reduce<number | undefined>((oldest, { at }) => Math.min(oldest ?? at, at), undefined)
}

async function eachOf(
  portion: Engine['portion'],
  rows: readonly number[],
  operation: (tx: Tx, row: number) => Steps<readonly number[]>,
): Promise<readonly number[]> {
  const done: number[] = []
  for (let start = 0; start < rows.length; ) {
    const some = rows.slice(start, start + MOST_ROWS)
    const part: number[] = []
    start += await portion(function* (tx) {
      part.length = 0
      return yield* untilLong(tx, some, function* (row) {
        part.push(...(yield* operation(tx, row)))
      })
    })
    done.push(...part)
  }
  return done
}

const UNUSED = { as: 'postponed', code: undefined, reason: 'nobody waited for it any more' } as const

// ── a database that is opened to be read ────────────────────────────────────────────────────────────

export interface Reader extends ReturnType<typeof readingOperations>, Pick<Store, 'restored' | 'close'> {
  version(): Promise<number | string>

  /** Returns the secret that `Store.secret` has made; undefined if it was never made. */
  knownSecret(name: string): Promise<Uint8Array | undefined>
}

export function readerOver(
  read: Engine['read'],
  o: { readonly held: number | undefined; readonly version: Reader['version']; readonly close: Store['close'] },
): Reader {
  return {
    ...readingOperations({ read }, waysOf({ write: refuse, portion: refuse, persist: refuse, read })),
    restored: o.held === undefined ? undefined : { why: 'earlier', held: o.held },
    version: o.version,
    knownSecret: (name) => read(() => knownSecret(name)),
    close: o.close,
  }
}

async function refuse(): Promise<never> {
  throw new Error('the database was opened to be read alone')
}
