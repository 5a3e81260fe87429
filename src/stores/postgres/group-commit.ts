import type { Timers } from '../../base/clock.ts'
import { SwitchhookError } from '../../base/errors.ts'
import type { Engine } from '../operations/store.ts'
import type { Commit, Work } from '../port/index.ts'
import { DatabaseFault, isServers, kindOf, unavailable } from './faults.ts'
import { wasCommitted } from './lost-commit.ts'
import type { Order, Way } from './order.ts'
import type { PostgresPool } from './pool.ts'
import { type Done, type Operation, transact, UnknownOutcome } from './transaction.ts'

export interface Asking<Result> {
  readonly kept?: boolean
  readonly waitMs?: number
  /** Is told of what was done all the same after its caller was refused. */
  readonly unwanted?: ((result: Result) => void) | undefined
}

export interface GroupCommit<Asked> {
  /**
   * Does what is asked in a transaction that it may share with others, and resolves once that is committed. It may be
   * done again from its start, so it must have no effect but on the database.
   *
   * @param o.kept it must land: it is repeated until it does.
   */
  ask(asked: Asked, o?: Asking<unknown>): Promise<unknown>
  close(): Promise<void>
}

export type Waited = (index: number) => number

export const WAIT_MS = 5_000
const RETRY_MS = 100
const SWEEP_MS = 250
/** Captured, since an app's tests may put a false one in its place. */
const { setImmediate } = globalThis

/**
 * Writes of one kind go one transaction at a time: those that come while one is under way share the next. An operation
 * that cannot be stored is found by committing one by one. While the database does not answer, all stay queued in their
 * order; if the answer to a commit was lost, the database is asked what became of it.
 *
 * @param o.commit runs a group in one transaction. `waited`: for how long one of them, by its place, has waited by now, in
 * milliseconds, if that was long; times that were meant from its asking on are later by that.
 * @param o.keysOf keys of which a group has each once: what shares one with it waits for the next group.
 * @param o.atOf the payload time of what an acceptance stores: of those in one group the oldest goes first.
 * @param o.unable the answer for an operation that its statement cannot store, or has often failed to; by default it is
 * refused with the fault, or repeated.
 */
export function createGroupCommit<Asked>(o: {
  pool: PostgresPool
  timers: Timers
  monotonic: () => number
  onWake: (work: Work) => void
  onCommit?: ((commit: Commit) => void) | undefined
  order: Order
  way: Way
  commit: (group: readonly Asked[], waited: Waited) => Promise<Done>
  keysOf?: (asked: Asked) => readonly string[]
  atOf?: (asked: Asked) => number | undefined
  unable?: unknown
}): GroupCommit<Asked> {
  type Operation = Queued<Asked>
  let queue: Operation[] = []
  let batch: readonly Operation[] = []
  let working: Promise<void> | undefined
  let closed = false
  let failure: unknown

  const ask: GroupCommit<Asked>['ask'] = (asked, { kept = false, waitMs = WAIT_MS, unwanted } = {}) =>
    new Promise((resolve, reject) => {
      if (closed) return reject(storeClosed())
      const askedAt = o.monotonic()
      const times = { number: o.order.enter(o.way), askedAt, until: askedAt + waitMs }
      queue.push({ asked, kept, ...times, failures: 0, settled: false, unwanted, resolve, reject })
      working ??= work()
    })

  async function work(): Promise<void> {
    let cancel = o.timers.after(SWEEP_MS, function sweep() {
      refuseImpatient()
      cancel = o.timers.after(SWEEP_MS, sweep)
    })
    while (queue.length > 0) {
      // All operations of one turn of the event loop share a transaction.
      await new Promise((resolve) => setImmediate(resolve))
      batch = await nextGroup()
      if (batch.length === 0) continue
      failure = undefined
      const left = await commit(batch)
      batch = []
      queue = [...left, ...queue].filter(({ settled }) => !settled)
      if (failure === undefined || queue.length === 0) continue
      refuseImpatient()
      if (queue.length > 0) await pause()
    }
    cancel()
    working = undefined
  }

  /** Takes a group out of the queue; empty if all were refused before their turn came. */
  async function nextGroup(): Promise<readonly Operation[]> {
    for (;;) {
      queue = queue.filter(({ settled }) => !settled)
      const bound = o.order.bound(o.way)
      const group = groupOf(
        queue.filter(({ number }) => number < bound),
        o.keysOf,
      )
      if (group.size > 0 || queue.length === 0) {
        queue = queue.filter((operation) => !group.has(operation))
        return inOrder([...group], o.atOf)
      }
      await o.order.changed()
    }
  }

  /** Answers with the operations that are to be tried again, in their order. */
  async function commit(operations: readonly Operation[]): Promise<readonly Operation[]> {
    const beganAt = o.monotonic()
    try {
      const done = await o.commit(
        operations.map(({ asked }) => asked),
        (index) => waitedSince((operations[index] as Operation).askedAt, o.monotonic()),
      )
      o.onCommit?.({ operations: done.results.length, durationMs: o.monotonic() - beganAt })
      return settle(operations, done)
    } catch (error) {
      if (error instanceof UnknownOutcome) return await afterUnknown(operations, error)
      const kind = kindOf(error)
      if (kind === 'row' && operations.length > 1) return await oneByOne(operations)
      if (kind === 'row') giveUp(operations, error)
      else failure = o.order.failure = error
      if (kind === 'passing' && o.unable !== undefined && isServers(error)) giveUp(operations.filter(failsOften), error)
      if (kind === 'lasting')
        refuse(
          operations.filter(({ kept }) => !kept),
          notStored(error),
        )
      return operations.filter(({ settled }) => !settled)
    }
  }

  /** Answers with those that did not begin. */
  function settle(
    operations: readonly Operation[],
    { results, woken }: Pick<Done, 'results' | 'woken'>,
  ): readonly Operation[] {
    o.order.failure = undefined
    operations.slice(0, results.length).forEach((operation, index) => {
      if (operation.settled) operation.unwanted?.(results[index])
      else {
        end(operation)
        operation.resolve(results[index])
      }
    })
    for (const work of woken) o.onWake(work)
    return operations.slice(results.length).filter(({ settled }) => !settled)
  }

  function end(operation: Operation): void {
    operation.settled = true
    o.order.leave(o.way, operation.number)
  }

  function giveUp(operations: readonly Operation[], error: unknown): void {
    if (o.unable === undefined) refuse(operations, error instanceof DatabaseFault ? notStored(error) : error)
    else settle(operations, { results: operations.map(() => o.unable), woken: new Set() })
  }

  /**
   * The database knows what became of a transaction. Repeated without asking, a delivery that was stored would be taken
   * for a repeat of itself, and nobody would handle it before its lease ends.
   */
  async function afterUnknown(operations: readonly Operation[], lost: UnknownOutcome): Promise<readonly Operation[]> {
    for (;;) {
      const committed = await wasCommitted(o.pool, lost.transaction).catch((error: unknown) => {
        failure = o.order.failure = error
        refuseImpatient()
      })
      if (committed === true) return settle(operations, lost.done)
      if (committed === false) return operations.filter(({ settled }) => !settled)
      if (operations.every(({ settled }) => settled)) return []
      await pause()
    }
  }

  /** Operations that must land keep their order: a settlement may depend on an earlier result of `once`. */
  async function oneByOne(operations: readonly Operation[]): Promise<readonly Operation[]> {
    const left: Operation[] = []
    for (const operation of operations) {
      const stays = failure !== undefined || (left.length > 0 && operation.kept)
      left.push(...(stays ? [operation] : await commit([operation])))
    }
    return left
  }

  function refuse(operations: readonly Operation[], error: unknown): void {
    for (const operation of operations) {
      end(operation)
      operation.reject(error)
    }
  }

  /** Of all that waits, refuses what has waited long enough; at the close that is all, once something failed. */
  function refuseImpatient(): void {
    const now = o.monotonic()
    const waits = ({ kept, until }: Operation) => (closed ? failure === undefined : kept) || until > now
    refuse(
      [...batch, ...queue].filter((operation) => !operation.settled && !waits(operation)),
      // An operation that waits for those of the other way is refused for their reason.
      notStored(failure ?? o.order.failure),
    )
  }

  function pause(): Promise<void> {
    return new Promise((resolve) => void o.timers.after(RETRY_MS, resolve))
  }

  return {
    ask,
    async close() {
      closed = true
      await working
    },
  }
}

export function storeClosed(): SwitchhookError {
  return new SwitchhookError('store_unavailable', 'the store is closed')
}

function notStored(error: unknown): SwitchhookError {
  return unavailable('the database did not take a write', error)
}

interface Queued<Asked> {
  readonly asked: Asked
  /** When it was asked for, among all operations of the process. */
  readonly number: number
  readonly kept: boolean
  /** By the monotonic clock, like the next one. */
  readonly askedAt: number
  /** It waits so long for a database that does not answer; a kept one waits on. */
  readonly until: number
  failures: number
  settled: boolean
  readonly unwanted: ((result: unknown) => void) | undefined
  resolve(result: unknown): void
  reject(error: unknown): void
}

/**
 * The most operations of a group: others wait for the lock meanwhile. The settlements of all lanes of a process, 64 by
 * default, go in one group with a claim: if one were left for the next group, the claim would take another lane into
 * its slot, and from then on each group would have settlements for one statement and lanes for another two.
 */
const BATCH = 128
/** After so many passing failures an operation is not asked of its statement any more. */
const OFTEN = 5
/** A shorter wait counts for none: a group is under way for less, as a rule. */
const LONG_WAIT_MS = 250

function waitedSince(askedAt: number, now: number): number {
  return now - askedAt < LONG_WAIT_MS ? 0 : Math.ceil(now - askedAt)
}

function failsOften(operation: Queued<unknown>): boolean {
  return !operation.settled && ++operation.failures >= OFTEN
}

/** The operations that share the next transaction, in the order in which they came. */
function groupOf<Asked>(
  queue: readonly Queued<Asked>[],
  keysOf: (asked: Asked) => readonly string[] = () => [],
): ReadonlySet<Queued<Asked>> {
  const group = new Set<Queued<Asked>>()
  const taken = new Set<string>()
  for (const operation of queue) {
    if (group.size === BATCH) break
    const keys = keysOf(operation.asked)
    if (keys.some((key) => taken.has(key))) continue
    group.add(operation)
    for (const key of keys) taken.add(key)
  }
  return group
}

/** Of acceptances in one transaction the oldest payload time goes first; all else keeps its place. */
function inOrder<Asked>(
  group: readonly Queued<Asked>[],
  atOf: (asked: Asked) => number | undefined = () => undefined,
): readonly Queued<Asked>[] {
  const accepting = group
    .filter(({ asked }) => atOf(asked) !== undefined)
    .sort((a, b) => (atOf(a.asked) ?? 0) - (atOf(b.asked) ?? 0))
  let next = 0
  return group.map((operation) => (atOf(operation.asked) === undefined ? operation : (accepting[next++] ?? operation)))
}

interface Asked {
  readonly run: Operation<unknown>
  readonly at?: number | undefined
}

type Writes = Pick<Engine, 'write' | 'portion' | 'keep' | 'accept'> & Pick<GroupCommit<Asked>, 'close'>

/** Writes as operations were written for: nobody else writes in their transaction, in whatever process. */
export function createOneWriter(
  o: Omit<Parameters<typeof createGroupCommit>[0], 'way' | 'commit' | 'keysOf' | 'atOf' | 'unable'>,
): Writes {
  const { ask, close } = createGroupCommit<Asked>({
    ...o,
    way: 'alone',
    commit: (group, waited) =>
      transact(
        o.pool,
        group.map(({ run }) => run),
        waited,
      ),
    atOf: ({ at }) => at,
  })
  const write: Writes['write'] = <T>(run: Operation<T>, o: Parameters<Writes['write']>[1] = {}) =>
    ask({ run }, o) as Promise<T>
  return {
    write,
    // Whoever waits for the lock has it in between.
    portion: (run) => write(run),
    keep: <T>(run: Operation<T>) => ask({ run }, { kept: true }) as Promise<T>,
    accept: <T>(run: Operation<T>, { at = 0, ...wait }: Parameters<Engine['accept']>[1]) =>
      ask({ run, at }, wait) as Promise<T>,
    close,
  }
}
