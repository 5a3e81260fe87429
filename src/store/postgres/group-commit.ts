import type { Timers } from '../../base/clock.ts'
import { SwitchhookError } from '../../base/errors.ts'
import type { Steps, Tx, Work } from '../steps.ts'
import { byPayloadTime, type Engine, RefusedAlone, unharmed, Unstorable, type Commit } from '../engine.ts'
import {
  DatabaseFault,
  isForItself,
  isServers,
  kindOf,
  mayOnlyRead,
  refusesConnections,
  unavailable,
} from './server-faults.ts'
import type { PostgresPool } from './pool.ts'
import {
  type Done,
  hasLanded,
  LOCK_MS,
  look,
  NeedsAlone,
  newWriter,
  NotAlone,
  transact,
  UnknownOutcome,
} from './transaction.ts'

const WAIT_MS = 5_000
const RETRY_MS = 100
const SWEEP_MS = 250
const BATCH = 128
const LONG_WAIT_MS = 250
/** Once a group has met somebody else's lock, its parts wait for that no longer than this. */
const LOCK_AGAIN_MS = 20
const MOST_LOCKED = 20
/** An operation that failed alone tries again after a pause that grows: all others wait for each try. */
const LOCKED_MS = 50
const LONGEST_LOCKED_MS = 500
/** So many times as long as the try took: the others have the database for most of the time. */
const LONGEST_TO_TRY = 8
const ENDED = /^(57014|25P04)$/
const MOST_ENDED = 4
/** After so many it waits for its customers. */
const MOST_MISSES = 3
/** A transaction that waits to be alone keeps all that come later waiting. */
const ALONE_MS = 150
const LONGEST_ALONE_MS = 2_400
const KNOWN_KEY = '23505'
/** Captured, since an app's tests may put a false one in its place. */
const { setImmediate } = globalThis

interface Queued {
  run(tx: Tx): Steps<unknown>
  readonly keys: readonly string[] | undefined
  readonly customers: readonly string[] | undefined
  readonly ids: number
  readonly number: number
  readonly kept: boolean
  readonly at: number | undefined
  readonly askedAt: number
  readonly until: number
  readonly unwanted: ((result: never) => void) | undefined
  settled: boolean
  /** How often another group had one of its customers. */
  misses: number
  isAlone: boolean
  /** Another group took one of its keys meanwhile. */
  isRepeated: boolean
  locked: { readonly until: number; readonly ms: number; readonly error: unknown; readonly tries: number } | undefined
  resolve(result: never): void
  reject(error: unknown): void
}

type Writes = Pick<Engine, 'write' | 'keep' | 'accept'> & { close(): Promise<void> }

/**
 * Writes go one transaction at a time: those that come meanwhile share the next. What belongs to a customer whom another
 * process has goes into a later one. Those without keys are alone, in turns with all others. Smaller parts find one that cannot be
 * stored. One that waits for somebody else's lock is tried again alone, what shares a key with it behind it. While the
 * database does not answer, all stay queued; after a lost answer it is asked what became of the commit.
 */
export function createGroupCommit(o: {
  pool: PostgresPool
  timers: Timers
  monotonic: () => number
  onWake: (work: Work) => void
  /** Work may be marked as running of which no operation has answered. */
  onDoubt: () => void
  onCommit?: ((commit: Commit) => void) | undefined
}): Writes {
  const onCommit = unharmed(o.onCommit)
  let queue: Queued[] = []
  let batch: readonly Queued[] = []
  let asked = Promise.withResolvers<void>()
  let working: Promise<void> | undefined
  let closed = false
  let failure: unknown
  let lockedParts = 0
  let turn: { kind: Kind; special: number } = { kind: 'alone', special: 0 }
  let aloneMs = ALONE_MS
  let last = 0
  const writer = newWriter(o.monotonic)

  function ask<T>(
    run: (tx: Tx) => Steps<T>,
    given: Partial<Pick<Queued, 'keys' | 'customers' | 'ids' | 'kept' | 'at'>> & {
      waitMs?: number
      unwanted?: (late: T) => void
    },
    askedAt = o.monotonic(),
  ): Promise<T> {
    const { keys, customers, ids = 0, kept = false, at, waitMs = WAIT_MS, unwanted } = given
    return new Promise((resolve, reject) => {
      if (closed) return reject(storeClosed())
      const times = { number: ++last, askedAt, until: askedAt + waitMs }
      const state = { settled: false, misses: 0, isAlone: !keys, isRepeated: false, locked: undefined }
      queue.push({
        run,
        keys: keys && [...keys, ...(customers ?? [])],
        customers,
        ids,
        kept,
        at,
        ...times,
        unwanted,
        ...state,
        resolve,
        reject,
      })
      asked.resolve()
      working ??= work()
    })
  }

  async function work(): Promise<void> {
    let cancel = o.timers.after(SWEEP_MS, function sweep() {
      refuseImpatient()
      cancel = o.timers.after(SWEEP_MS, sweep)
    })
    while (queue.length > 0) {
      // All operations of one turn of the event loop share a transaction.
      await new Promise((resolve) => setImmediate(resolve))
      asked = Promise.withResolvers()
      const ready = readyOnes(queue, o.monotonic())
      const kind = nextKind(ready, turn)
      turn = { kind, special: kind === 'beside' ? turn.special : SPECIAL.indexOf(kind) }
      batch = byPayloadTime(ready.get(kind) ?? [])
      const taken = new Set(batch)
      queue = queue.filter((operation) => !taken.has(operation))
      failure = undefined
      lockedParts = 0
      const left = await commit(batch, batch[0]?.locked ? LOCK_AGAIN_MS : LOCK_MS)
      queue = queue.filter(({ settled }) => !settled)
      if (left.length > 0) queue = [...left, ...queue].sort((a, b) => a.number - b.number)
      if (failure !== undefined) refuseImpatient()
      if (queue.length === 0) break
      if (failure !== undefined) await pause()
      else if (taken.size === 0) await Promise.race([asked.promise, pause(LOCKED_MS)])
    }
    cancel()
    batch = []
    working = undefined
  }

  async function commit(operations: readonly Queued[], lockMs: number): Promise<readonly Queued[]> {
    if (operations.length === 0) return []
    const beganAt = o.monotonic()
    try {
      const group = operations.map(({ run, keys, customers, ids, isAlone, askedAt }) => ({
        run,
        keys: isAlone ? undefined : keys,
        customers,
        ids,
        waitedMs: () => waitedSince(askedAt, o.monotonic()),
      }))
      const forCustomers = operations.some(({ misses }) => misses >= MOST_MISSES)
      const done = await transact(o.pool, writer, group, { lockMs, aloneMs, forCustomers })
      for (const index of done.missed) (operations[index] as Queued).misses++
      if (operations[0]?.isAlone) aloneMs = ALONE_MS
      const left = settle(operations, done)
      if (done.missed.size === operations.length) return left
      onCommit({ operations: done.ended.length, durationMs: o.monotonic() - beganAt })
      return left
    } catch (error) {
      if (error instanceof UnknownOutcome) return await afterUnknown(operations, error)
      if (error instanceof NotAlone) {
        aloneMs = Math.min(2 * aloneMs, LONGEST_ALONE_MS)
        return unsettled(operations)
      }
      if (error instanceof NeedsAlone) {
        ;(operations[error.index] as Queued).isAlone = true
        return unsettled(operations)
      }
      const kind = kindOf(error)
      if (isServers(error) && error.state === KNOWN_KEY && operations.some(({ isRepeated }) => !isRepeated)) {
        for (const operation of operations) operation.isRepeated = true
        return unsettled(operations)
      }
      const isOfOne = kind === 'row' || ((kind === 'locked' || kind === 'lasting') && ++lockedParts <= MOST_LOCKED)
      if (isOfOne && operations.length > 1) return await inParts(operations)
      if (!isOfOne) failure = error
      for (const operation of operations) {
        if (kind === 'row' && (!operation.kept || isForItself(error))) refuse([operation], refusal(error))
        else if (kind === 'lasting' && !operation.kept) refuse([operation], notStored(error))
        else if (isOfOne && isGivenUp(operation, error)) refuse([operation], new RefusedAlone(TOO_LONG, error))
        else if (isOfOne) putOff(operation, error, o.monotonic() - beganAt)
      }
      return unsettled(operations)
    }
  }

  function settle(operations: readonly Queued[], { ended, woken }: Done): readonly Queued[] {
    operations.forEach((operation, index) => {
      const end = ended[index]
      if (!end) return
      if (operation.settled) operation.unwanted?.(end.result as never)
      operation.settled = true
      operation.resolve(end.result as never)
    })
    for (const work of woken) o.onWake(work)
    return unsettled(operations)
  }

  /** What must land keeps its order: a settlement may depend on an earlier result of `once`. */
  async function inParts(operations: readonly Queued[]): Promise<readonly Queued[]> {
    const middle = Math.ceil(operations.length / 2)
    const left = await commit(operations.slice(0, middle), LOCK_AGAIN_MS)
    const second = operations.slice(middle)
    if (failure !== undefined) return [...left, ...second]
    const stay = behind(left, second)
    const go = second.filter((operation) => !stay.has(operation))
    return [...left, ...stay, ...(await commit(go, LOCK_AGAIN_MS))]
  }

  function putOff(operation: Queued, error: unknown, tookMs: number): void {
    const longestMs = Math.max(LONGEST_LOCKED_MS, LONGEST_TO_TRY * tookMs)
    const ms = operation.locked ? Math.min(longestMs, 2 * operation.locked.ms) : LOCKED_MS
    operation.locked = { ms, until: o.monotonic() + ms, error, tries: (operation.locked?.tries ?? 0) + 1 }
  }

  /**
   * Repeated without asking, a delivery that was stored would be taken for its own repeat, and nobody would handle it. It asks
   * until it knows, also if all callers have been refused: what the commit has begun for them is to be released.
   */
  async function afterUnknown(operations: readonly Queued[], lost: UnknownOutcome): Promise<readonly Queued[]> {
    for (;;) {
      const landed = await hasLanded(o.pool, lost.commit).catch((error: unknown) => {
        failure = error
        refuseImpatient()
      })
      if (landed === true) return settle(operations, lost.done)
      if (landed === false) {
        // After a failover earlier ones may be lost too.
        o.onDoubt()
        return unsettled(operations)
      }
      if (closed && operations.every(({ settled }) => settled)) return []
      await pause()
    }
  }

  function refuse(operations: readonly Queued[], error: unknown): void {
    for (const operation of operations) {
      operation.settled = true
      operation.reject(error)
    }
  }

  /** Of all that waits, refuses what has waited long enough; at the close that is all, once something failed. */
  function refuseImpatient(): void {
    const now = o.monotonic()
    for (const operation of new Set([...batch, ...queue])) {
      const { settled, kept, until, locked } = operation
      const fails = locked?.error ?? failure
      if (settled || until > now || (closed ? fails === undefined : kept)) continue
      refuse([operation], notStored(fails))
    }
  }

  function pause(ms = RETRY_MS): Promise<void> {
    return new Promise((resolve) => void o.timers.after(ms, resolve))
  }

  return {
    async write(run, { looks = false, ...given } = {}) {
      const askedAt = o.monotonic()
      return (looks && !closed ? await look(o.pool, run) : undefined) ?? ask(run, given, askedAt)
    },
    keep: (run, given = {}) => ask(run, { ...given, kept: true }),
    accept: (run, { at = 0, ...given }) => ask(run, { ...given, at }),
    async close() {
      closed = true
      await working
    },
  }
}

function unsettled(operations: readonly Queued[]): readonly Queued[] {
  return operations.filter(({ settled }) => !settled)
}

/**
 * The server ends its statement each time. One that waits for a lock is never given up: the lock goes some day. Neither is
 * what must land: the effect that it keeps would happen again.
 */
function isGivenUp({ kept, locked }: Queued, error: unknown): boolean {
  const isEnded = error instanceof DatabaseFault && ENDED.test(error.state ?? '')
  return !kept && isEnded && (locked?.tries ?? 0) >= MOST_ENDED
}

const TOO_LONG = 'the database did not take a write: it takes longer than the server lets it'

function refusal(error: unknown): unknown {
  if (!(error instanceof DatabaseFault)) return error
  return isForItself(error) ? new Unstorable(notStored(error).message, error) : notStored(error)
}

function storeClosed(): SwitchhookError {
  return new SwitchhookError('store_unavailable', 'the store is closed')
}

function notStored(error: unknown): SwitchhookError {
  return unavailable('the database did not take a write', error)
}

function waitedSince(askedAt: number, now: number): number {
  return now - askedAt < LONG_WAIT_MS ? 0 : Math.ceil(now - askedAt)
}

function behind(before: readonly Queued[], these: readonly Queued[]): ReadonlySet<Queued> {
  const taken = new Set(before.flatMap(({ keys = [] }) => keys))
  const waiting = new Set<Queued>()
  if (taken.size === 0) return waiting
  for (const operation of these) {
    if (operation.keys?.some((key) => taken.has(key)) !== true) continue
    waiting.add(operation)
    for (const key of operation.keys) taken.add(key)
  }
  return waiting
}

type Kind = 'beside' | (typeof SPECIAL)[number]
/** Each kind has its own transactions: one that met a lock, those that wait for their customers, those that are alone. */
const SPECIAL = ['locked', 'patient', 'alone'] as const

function kindOfOne({ locked, isAlone, misses }: Queued): Kind {
  if (locked) return 'locked'
  if (isAlone) return 'alone'
  return misses >= MOST_MISSES ? 'patient' : 'beside'
}

/** Of each kind those that stand behind no earlier one of another kind. */
function readyOnes(queue: readonly Queued[], now: number): ReadonlyMap<Kind, readonly Queued[]> {
  const held = new Map<string, Kind | 'stays'>()
  const ready = new Map<Kind, Queued[]>()
  for (const operation of unsettled(queue)) {
    const kind = kindOfOne(operation)
    const { keys = [], locked } = operation
    const stays = keys.some((key) => held.has(key) && (locked !== undefined || held.get(key) !== kind))
    for (const key of keys) held.set(key, stays ? 'stays' : kind)
    const some = ready.get(kind) ?? []
    if (stays || (locked && (locked.until > now || some.length > 0)) || some.length === BATCH) continue
    some.push(operation)
    ready.set(kind, some)
  }
  return ready
}

/** In turns: after each special group one of all others, and the special ones one after the other. */
function nextKind(ready: ReadonlyMap<Kind, unknown>, last: { kind: Kind; special: number }): Kind {
  const specials = SPECIAL.map((_, nth) => SPECIAL[(last.special + 1 + nth) % SPECIAL.length] as Kind)
  const turns: readonly Kind[] = last.kind === 'beside' ? [...specials, 'beside'] : ['beside', ...specials]
  return turns.find((kind) => ready.has(kind)) ?? 'beside'
}

// ── patience ────────────────────────────────────────────────────────────────────────────────────────

/** Longer than many processes at work keep the lock under the highest load, and than a server takes to recover. */
const START_MS = 60_000

interface Patience {
  readonly timers: Timers
  readonly monotonic: () => number
}

export async function patiently<T>(
  read: () => Promise<T>,
  o: Patience & { readonly isClosed: () => boolean },
): Promise<T> {
  const until = o.monotonic() + WAIT_MS
  for (;;) {
    if (o.isClosed()) throw storeClosed()
    try {
      return await read()
    } catch (error) {
      const kind = kindOf(error)
      if (kind === 'row') throw error
      if (kind === 'lasting' || o.monotonic() >= until) throw unavailable('the database could not be read', error)
      await again(o)
    }
  }
}

/** Repeats a start while the server says that it cannot yet, or does not listen yet. Says so once. */
export async function whenItPasses<T>(
  attempt: () => Promise<T>,
  o: Patience & { readonly say?: ((line: string) => void) | undefined },
): Promise<T> {
  const beganAt = o.monotonic()
  for (let told = false; ; told = true) {
    try {
      return await attempt()
    } catch (error) {
      const isStarting = kindOf(error) === 'passing' && (isServers(error) || refusesConnections(error))
      // In a failover another server may write soon; an address of a standby stays one.
      const longestMs = mayOnlyRead(error) ? WAIT_MS : START_MS
      if (!isStarting || o.monotonic() - beganAt >= longestMs) throw error
      if (!told && longestMs === START_MS)
        o.say?.(unavailable('the database cannot be opened yet, and is tried again for a minute', error).message)
      await again(o)
    }
  }
}

function again({ timers }: Pick<Patience, 'timers'>): Promise<void> {
  return new Promise((resolve) => void timers.after(RETRY_MS, resolve))
}
