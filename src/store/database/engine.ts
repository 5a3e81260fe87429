import type { Timers } from '../../base/clock.ts'
import { SwitchhookError } from '../../base/errors.ts'
import { customerLane, customersIn } from './lane-names.ts'
import type { CustomerOfNumber } from './customer-tables.ts'
import type { Steps, Tx, WorkKind } from './steps.ts'

export interface Commit {
  readonly operations: number
  /** Milliseconds from the beginning of the commit until it was on disk. */
  readonly durationMs: number
}

/** How operations run. Each driver makes one. */
export interface Engine {
  /** Runs an operation in a commit that it may share with others. */
  write<T>(operation: (tx: Tx) => Steps<T>, o?: Writing<T>): Promise<T>
  /** Like `write`, for a part of a long task. The next part begins after an equally long pause, for other writes. */
  portion<T>(operation: (tx: Tx) => Steps<T>): Promise<T>
  /** Reads many rows for a later `portion`. Undefined if a read delays writes as much as a write does. */
  scan?<T>(operation: (tx: Pick<Tx, 'databaseState'>) => Steps<T>): Promise<T>
  /** Like `write`, and repeats the commit until it succeeds. `mayWait`: it may wait for other operations to join. */
  persist<T>(operation: (tx: Tx) => Steps<T>, o?: { readonly mayWait?: boolean } & Shared): Promise<T>
  /** Like `write`, for deliveries. Queued deliveries are stored in the order of `at`, the payload time. */
  accept<T>(
    operation: (tx: Tx) => Steps<T>,
    o: { readonly at: number | undefined; readonly waitMs?: number } & Writing<T>,
  ): Promise<T>
  read<T>(operation: (tx: Pick<Tx, 'databaseState'>) => Steps<T>, o?: { readonly long?: boolean }): Promise<T>
  /** Runs one statement whose order among other operations does not matter. Returns undefined if it failed. */
  withoutLock?<T>(operation: () => Steps<T>): Promise<T | undefined>
  /** Makes the indexes for reading a customer's history. Undefined if the database is only read. */
  makeIndexes?(): Promise<void>
  /** Reports that rows may be marked as running although no process runs them. */
  recheck?(): void
}

interface Writing<T> extends Shared {
  /** The operation often changes nothing. So it first runs as a read, which keeps nobody waiting. */
  readonly readsFirst?: boolean
  /** Called with the result if the operation was stored after its caller had got an error. */
  readonly unwanted?: (late: T) => void
}

/** What an operation shares with other operations. Without `keys` no other operation runs beside it. */
export interface Shared {
  /** Operations without a common key may run side by side in one transaction. */
  readonly keys?: readonly string[]
  /** The lanes of the customers whose rows are locked. An operation of another process on one of them waits. */
  readonly customers?: readonly string[]
  /** The most ids of inbox rows that the operation needs in the ordinary case. */
  readonly ids?: number
  /** The lanes of the items that it opens or ends: see `Tx.firstItem`. */
  readonly lanes?: readonly string[]
}

/** The database refused one operation, and is available for others. */
export class RefusedAlone extends SwitchhookError {
  constructor(message: string, cause: unknown) {
    super('store_unavailable', message, { cause })
  }
}

/** The database refused the operation's own values, such as a text that is too long. It will refuse them each time. */
export class Unstorable extends RefusedAlone {}

export function createListeners() {
  const listeners = new Set<(work: WorkKind | 'recheck') => void>()
  return {
    onWork(listener: (work: WorkKind | 'recheck') => void) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    onWake(work: WorkKind | 'recheck') {
      for (const listener of listeners) unharmed(listener)(work)
    },
  }
}

/** Calls a function that only watches the store. What it throws does not affect the commit. */
export function unharmed<T>(watch: ((happened: T) => void) | undefined): (happened: T) => void {
  return (happened) => {
    try {
      watch?.(happened)
    } catch {}
  }
}

/** Runs a long task in portions. The next portion waits as long as the last one took, so that others can write. */
export function createPortions(o: {
  write: Engine['write']
  timers: Timers
  monotonic: () => number
}): Engine['portion'] {
  let free: Promise<unknown> = Promise.resolve()
  return (operation) => {
    let begunAt = 0
    const portion = free.then(() =>
      o.write((tx) => {
        begunAt = o.monotonic()
        return operation(tx)
      }),
    )
    const rest = () => new Promise<void>((resolve) => void o.timers.after(o.monotonic() - begunAt, resolve))
    free = portion.then(rest, () => {})
    return portion
  }
}

/** Runs a task in portions. Each one returns where the next begins; undefined if it was the last. */
export async function* inPortions<Place, Done extends { readonly next?: Place | undefined }>(
  first: Place,
  portion: (from: Place) => Promise<Done>,
): AsyncGenerator<Done, void, void> {
  for (let next: Place | undefined = first; next !== undefined; ) {
    const done: Done = await portion(next)
    yield done
    next = done.next
  }
}

export function byPayloadTime<Queued extends { readonly at: number | undefined }>(batch: readonly Queued[]): Queued[] {
  const accepting = batch.filter(({ at }) => at !== undefined).sort((a, b) => (a.at ?? 0) - (b.at ?? 0))
  let next = 0
  return batch.map((operation) => (operation.at === undefined ? operation : (accepting[next++] ?? operation)))
}

// ── how operations run ──────────────────────────────────────────────────────────────────────────────

export type Ways = ReturnType<typeof waysOf>

/** Returns functions that turn an operation into a member of the store. */
export function waysOf({
  write,
  portion,
  persist,
  read,
  makeIndexes,
}: Pick<Engine, 'write' | 'portion' | 'persist' | 'read' | 'makeIndexes'>) {
  let made: Promise<void> | undefined
  const indexes = () =>
    (made ??= makeIndexes?.().catch((error: unknown) => {
      made = undefined
      throw error
    }))
  return {
    write,
    portion,
    persist,
    reads: memberOver(read),
    readsLong: memberOver((operation) => read(operation, { long: true })),
    writes: memberOver(write),
    /** For operations that may run beside all others: they only read, or each change depends on one row only. */
    writesFreely: memberOver((operation) => write(operation, { keys: [] })),
    /** For operations that read a customer's history. The first call makes the indexes that they need. */
    behindIndexes:
      <Given extends readonly unknown[], T>(operation: (...given: Given) => Promise<T>) =>
      async (...given: Given): Promise<T> => {
        await indexes()
        return operation(...given)
      },
    /** For operations that concern one customer. */
    writesOf:
      <Who extends CustomerOfNumber, Rest extends readonly unknown[], T>(
        operation: (who: Who, ...rest: Rest) => Steps<T>,
      ) =>
      (who: Who, ...rest: Rest) =>
        write(() => operation(who, ...rest), concerning(who)),
    transacts:
      <Given extends readonly unknown[], T>(operation: (tx: Tx, ...given: Given) => Steps<T>) =>
      (...given: Given) =>
        write((tx) => operation(tx, ...given)),
  }
}

function memberOver(run: <T>(operation: () => Steps<T>) => Promise<T>) {
  return <Given extends readonly unknown[], T>(operation: (...given: Given) => Steps<T>) =>
    (...given: Given) =>
      run(() => operation(...given))
}

// ── what operations share ───────────────────────────────────────────────────────────────────────────

export function concerning(who: CustomerOfNumber, ...lanes: readonly (string | undefined)[]): Shared {
  const keys = lanes.filter((lane) => lane !== undefined)
  return { keys, customers: [customerLane(who), ...keys.flatMap(customersIn)] }
}

/** For operations under the fence of an item or a send. */
export function under({ lane }: { readonly lane: string }): Shared {
  return { keys: [lane], customers: customersIn(lane) }
}
