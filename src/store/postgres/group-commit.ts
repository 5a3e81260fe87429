import type { Timers } from '../../base/clock.ts'
import type { SwitchhookError } from '../../base/errors.ts'
import type { Steps, Tx, WorkKind } from '../database/steps.ts'
import { byPayloadTime, type Engine, RefusedAlone, unharmed, Unstorable, type Commit } from '../database/engine.ts'
import { DatabaseFault, isForItself, isServers, kindOf, unavailable } from './server-faults.ts'
import { pause, storeClosed, WAIT_MS } from './patience.ts'
import type { PostgresPool } from './pool.ts'
import {
  type Done,
  type Operation,
  hasLanded,
  LOCK_MS,
  runAsRead,
  NeedsAlone,
  newWriter,
  NotAlone,
  transact,
  UnknownOutcome,
} from './transaction.ts'

const SWEEP_MS = 250
const BATCH = 128
const LONG_WAIT_MS = 250
/** If another program's lock stops a group, each half of the group waits this long for the lock. */
const LOCK_AGAIN_MS = 20
const MOST_LOCKED = 20
/**
 * Pause before an operation that met a lock is tried again alone. It grows, because each try keeps all others waiting.
 */
const LOCKED_MS = 50
const LONGEST_LOCKED_MS = 500
/** The pause is at least this many times as long as the try, so that others have the database for most of the time. */
const LONGEST_TO_TRY = 8
const ENDED = /^(57014|25P04)$/
const MOST_ENDED = 4
/** After this many groups in which another process had its customers, an operation waits for them. */
const MOST_MISSES = 3
/** How long a transaction waits to be alone. All later transactions wait behind it. */
const ALONE_MS = 150
const LONGEST_ALONE_MS = 2_400
const KNOWN_KEY = '23505'
/**
 * If at most one operation for this many others shares a key with an earlier one of its group, the operations that do
 * so wait for the next group.
 */
const FIRSTS_FOR_EACH = 8
/** This global is captured, because an app's tests may replace it. */
const { setImmediate } = globalThis

interface Queued extends Operation {
  readonly nth: number
  readonly persists: boolean
  readonly at: number | undefined
  readonly until: number
  readonly unwanted: ((result: never) => void) | undefined
  isAnswered: boolean
  /** How often another group had one of the operation's customers. */
  misses: number
  isAlone: boolean
  isRepeated: boolean
  locked: { readonly until: number; readonly ms: number; readonly error: unknown; readonly tries: number } | undefined
  resolve(result: never): void
  reject(error: unknown): void
}

interface GroupCommitDeps {
  readonly pool: PostgresPool
  readonly timers: Timers
  readonly monotonic: () => number
  readonly onWake: (work: WorkKind) => void
  /** Called if rows may be marked as running although no operation has reported them. */
  readonly onRecheck: () => void
  readonly onCommit?: ((commit: Commit) => void) | undefined
}

/**
 * Commits writes, one transaction at a time. Operations that arrive meanwhile share the next transaction. An operation
 * on a customer whom another process has locked goes into a later one. Operations without keys run alone, in turns with
 * all others. If an operation cannot be stored, the group is halved until that operation is found. An operation that
 * waits for a lock of another program is tried again alone, and operations that share a key wait behind it. While the
 * database does not answer, all stay queued. If an answer was lost, a query finds out whether the commit succeeded.
 */
export class GroupCommit {
  readonly #host: GroupHost
  #queue: Queued[] = []
  /** The group at work, or the last one. */
  #group: Group
  #asked = Promise.withResolvers<void>()
  #working: Promise<void> | undefined
  #isClosed = false
  #last = 0

  constructor(o: GroupCommitDeps) {
    this.#host = {
      ...o,
      onCommit: unharmed(o.onCommit),
      writer: newWriter(o.monotonic),
      alone: { waitMs: ALONE_MS },
      isClosed: () => this.#isClosed,
      refuseImpatient: () => this.#refuseImpatient(),
    }
    this.#group = new Group(this.#host, 'alone', 0, [])
  }

  readonly write: Engine['write'] = async (run, { readsFirst = false, ...given } = {}) => {
    const askedAt = this.#host.monotonic()
    const read = readsFirst && !this.#isClosed ? await runAsRead(this.#host.pool, run) : undefined
    return read ?? this.#ask(run, given, askedAt)
  }

  readonly persist: Engine['persist'] = (run, given = {}) => this.#ask(run, { ...given, persists: true })

  readonly accept: Engine['accept'] = (run, { at = 0, ...given }) => this.#ask(run, { ...given, at })

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#working
  }

  #ask<T>(
    run: (tx: Tx) => Steps<T>,
    given: Partial<Pick<Queued, 'keys' | 'customers' | 'ids' | 'lanes' | 'persists' | 'at'>> & {
      waitMs?: number
      unwanted?: (late: T) => void
    },
    askedAt = this.#host.monotonic(),
  ): Promise<T> {
    const { keys, customers, ids = 0, lanes, persists = false, at, waitMs = WAIT_MS, unwanted } = given
    return new Promise((resolve, reject) => {
      if (this.#isClosed) return reject(storeClosed())
      this.#queue.push({
        run,
        keys: keys && [...keys, ...(customers ?? [])],
        customers,
        ids,
        lanes,
        persists,
        at,
        unwanted,
        nth: ++this.#last,
        waitedMs: () => waitedSince(askedAt, this.#host.monotonic()),
        until: askedAt + waitMs,
        isAnswered: false,
        misses: 0,
        isAlone: !keys,
        isRepeated: false,
        locked: undefined,
        resolve,
        reject,
      })
      this.#asked.resolve()
      this.#working ??= this.#work()
    })
  }

  async #work(): Promise<void> {
    const { timers } = this.#host
    const sweep = () => {
      this.#refuseImpatient()
      cancel = timers.after(SWEEP_MS, sweep)
    }
    let cancel = timers.after(SWEEP_MS, sweep)
    while (this.#queue.length > 0) {
      // All operations of one turn of the event loop share a transaction.
      await new Promise((resolve) => setImmediate(resolve))
      this.#asked = Promise.withResolvers()
      const group = (this.#group = this.#nextGroup())
      const left = await group.commit()
      this.#queue = this.#queue.filter(({ isAnswered }) => !isAnswered)
      if (left.length > 0) this.#queue = [...left, ...this.#queue].sort((a, b) => a.nth - b.nth)
      if (group.failure !== undefined) this.#refuseImpatient()
      if (this.#queue.length === 0) break
      if (group.failure !== undefined) await pause(timers)
      else if (group.operations.length === 0) await Promise.race([this.#asked.promise, pause(timers, LOCKED_MS)])
    }
    cancel()
    this.#group.operations = []
    this.#working = undefined
  }

  #nextGroup(): Group {
    const ready = readyOnes(this.#queue, this.#host.monotonic())
    const kind = nextKind(ready, this.#group)
    const special = kind === 'ordinary' ? this.#group.special : SPECIAL.indexOf(kind)
    const group = new Group(this.#host, kind, special, byPayloadTime(ready.get(kind) ?? []))
    const inGroup = new Set(group.operations)
    this.#queue = this.#queue.filter((operation) => !inGroup.has(operation))
    return group
  }

  /** Refuses operations that have waited long enough. If the store closes after a failure, refuses all. */
  #refuseImpatient(): void {
    const now = this.#host.monotonic()
    for (const operation of new Set([...this.#group.operations, ...this.#queue])) {
      const { isAnswered, persists, until, locked } = operation
      const fails = locked?.error ?? this.#group.failure
      if (isAnswered || until > now || (this.#isClosed ? fails === undefined : persists)) continue
      refuse(operation, notStored(fails))
    }
  }
}

/** The queue, as its groups use it. */
interface GroupHost extends GroupCommitDeps {
  readonly onCommit: (commit: Commit) => void
  readonly writer: ReturnType<typeof newWriter>
  /** How long the next operation that must be alone waits for others to end. */
  readonly alone: { waitMs: number }
  isClosed(): boolean
  refuseImpatient(): void
}

/** The operations of one transaction, which may be split into several transactions. */
class Group {
  readonly #host: GroupHost
  readonly kind: Kind
  /** The index in `SPECIAL` of the kind that had its turn last. */
  readonly special: number
  operations: readonly Queued[]
  /** Why the database did not answer. */
  failure: unknown
  #lockedParts = 0

  constructor(host: GroupHost, kind: Kind, special: number, operations: readonly Queued[]) {
    this.#host = host
    this.kind = kind
    this.special = special
    this.operations = operations
  }

  /** Returns the operations whose callers are not answered. */
  commit(): Promise<readonly Queued[]> {
    return this.#commit(this.operations, this.operations[0]?.locked ? LOCK_AGAIN_MS : LOCK_MS)
  }

  async #commit(operations: readonly Queued[], lockMs: number): Promise<readonly Queued[]> {
    if (operations.length === 0) return []
    const { pool, writer, alone, monotonic, onCommit } = this.#host
    const beganAt = monotonic()
    try {
      const forCustomers = operations.some(({ misses }) => misses >= MOST_MISSES)
      const done = await transact(pool, writer, operations, { lockMs, aloneMs: alone.waitMs, forCustomers })
      for (const index of done.missed) (operations[index] as Queued).misses++
      if (operations[0]?.isAlone) alone.waitMs = ALONE_MS
      const left = this.#answer(operations, done)
      if (done.missed.size === operations.length) return left
      onCommit({ operations: done.ended.length, durationMs: monotonic() - beganAt })
      return left
    } catch (error) {
      if (error instanceof UnknownOutcome) return await this.#afterUnknown(operations, error)
      if (this.#isRepeatedAfter(error, operations)) return unanswered(operations)
      return await this.#afterFault(operations, error, monotonic() - beganAt)
    }
  }

  /** Returns true if the operations run again, because another group was in the way. */
  #isRepeatedAfter(error: unknown, operations: readonly Queued[]): boolean {
    const { alone } = this.#host
    if (error instanceof NotAlone) {
      alone.waitMs = Math.min(2 * alone.waitMs, LONGEST_ALONE_MS)
      return true
    }
    if (error instanceof NeedsAlone) {
      ;(operations[error.index] as Queued).isAlone = true
      return true
    }
    const isKeyKnown = isServers(error) && error.state === KNOWN_KEY && operations.some(({ isRepeated }) => !isRepeated)
    if (isKeyKnown) for (const operation of operations) operation.isRepeated = true
    return isKeyKnown
  }

  async #afterFault(operations: readonly Queued[], error: unknown, tookMs: number): Promise<readonly Queued[]> {
    const kind = kindOf(error)
    const isOfOne = kind === 'row' || ((kind === 'locked' || kind === 'lasting') && ++this.#lockedParts <= MOST_LOCKED)
    if (isOfOne && operations.length > 1) return await this.#inParts(operations)
    if (!isOfOne) this.failure = error
    for (const operation of operations) {
      if (kind === 'row' && (!operation.persists || isForItself(error))) refuse(operation, refusal(error))
      else if (kind === 'lasting' && !operation.persists) refuse(operation, notStored(error))
      else if (isOfOne && isGivenUp(operation, error)) refuse(operation, new RefusedAlone(TOO_LONG, error))
      else if (isOfOne) this.#putOff(operation, error, tookMs)
    }
    return unanswered(operations)
  }

  #answer(operations: readonly Queued[], { ended, woken }: Done): readonly Queued[] {
    operations.forEach((operation, index) => {
      const end = ended[index]
      if (!end) return
      if (operation.isAnswered) operation.unwanted?.(end.result as never)
      operation.isAnswered = true
      operation.resolve(end.result as never)
    })
    for (const work of woken) this.#host.onWake(work)
    return unanswered(operations)
  }

  /** Operations that must be stored keep their order: a settlement may depend on an earlier result of `once`. */
  async #inParts(operations: readonly Queued[]): Promise<readonly Queued[]> {
    const middle = Math.ceil(operations.length / 2)
    const left = await this.#commit(operations.slice(0, middle), LOCK_AGAIN_MS)
    const second = operations.slice(middle)
    if (this.failure !== undefined) return [...left, ...second]
    const stay = behind(left, second)
    const go = second.filter((operation) => !stay.has(operation))
    return [...left, ...stay, ...(await this.#commit(go, LOCK_AGAIN_MS))]
  }

  #putOff(operation: Queued, error: unknown, tookMs: number): void {
    const longestMs = Math.max(LONGEST_LOCKED_MS, LONGEST_TO_TRY * tookMs)
    const ms = operation.locked ? Math.min(longestMs, 2 * operation.locked.ms) : LOCKED_MS
    const tries = (operation.locked?.tries ?? 0) + 1
    operation.locked = { ms, until: this.#host.monotonic() + ms, error, tries }
  }

  /**
   * Finds out whether a commit succeeded. If it were simply repeated, a stored delivery would be taken for its own
   * repeat, and nobody would handle it. It queries until the database answers, even if all callers were refused: work
   * that the commit has begun must be released.
   */
  async #afterUnknown(operations: readonly Queued[], lost: UnknownOutcome): Promise<readonly Queued[]> {
    const { pool, timers, onRecheck, isClosed, refuseImpatient } = this.#host
    for (;;) {
      const landed = await hasLanded(pool, lost.commit).catch((error: unknown) => {
        this.failure = error
        refuseImpatient()
      })
      if (landed === true) return this.#answer(operations, lost.done)
      if (landed === false) {
        // After a failover earlier commits may be lost too, so what is marked as running is checked.
        onRecheck()
        return unanswered(operations)
      }
      if (isClosed() && operations.every(({ isAnswered }) => isAnswered)) return []
      await pause(timers)
    }
  }
}

function refuse(operation: Queued, error: unknown): void {
  operation.isAnswered = true
  operation.reject(error)
}

function unanswered(operations: readonly Queued[]): readonly Queued[] {
  return operations.filter(({ isAnswered }) => !isAnswered)
}

/**
 * Returns true if an operation is refused because the server ended its statement several times. An operation that waits
 * for a lock is not refused, because the lock is released some day. An operation that must be stored is not refused,
 * because the work whose result it stores would be done again.
 */
function isGivenUp({ persists, locked }: Queued, error: unknown): boolean {
  const isEnded = error instanceof DatabaseFault && ENDED.test(error.state ?? '')
  return !persists && isEnded && (locked?.tries ?? 0) >= MOST_ENDED
}

const TOO_LONG = 'the database did not take a write: it takes longer than the server lets it'

function refusal(error: unknown): unknown {
  if (!(error instanceof DatabaseFault)) return error
  return isForItself(error) ? new Unstorable(notStored(error).message, error) : notStored(error)
}

function notStored(error: unknown): SwitchhookError {
  return unavailable('the database did not take a write', error)
}

function waitedSince(askedAt: number, now: number): number {
  return now - askedAt < LONG_WAIT_MS ? 0 : Math.ceil(now - askedAt)
}

function behind(before: readonly Queued[], these: readonly Queued[]): ReadonlySet<Queued> {
  const keysBefore = new Set(before.flatMap(({ keys = [] }) => keys))
  const waiting = new Set<Queued>()
  if (keysBefore.size === 0) return waiting
  for (const operation of these) {
    if (operation.keys?.some((key) => keysBefore.has(key)) !== true) continue
    waiting.add(operation)
    for (const key of operation.keys) keysBefore.add(key)
  }
  return waiting
}

type Kind = 'ordinary' | (typeof SPECIAL)[number]
/** Kinds with their own transactions: operations that met a lock, that wait for their customers, or that are alone. */
const SPECIAL = ['locked', 'patient', 'alone'] as const

function kindOfOne({ locked, isAlone, misses }: Queued): Kind {
  if (locked) return 'locked'
  if (isAlone) return 'alone'
  return misses >= MOST_MISSES ? 'patient' : 'ordinary'
}

/**
 * Returns the operations of each kind that share no key with an earlier one of another kind. If only few share a
 * customer with an earlier one of their kind, these few wait for the next group, because this group would wait for
 * their round trips.
 */
function readyOnes(queue: readonly Queued[], now: number): ReadonlyMap<Kind, readonly Queued[]> {
  const byKey = new Map<string, Kind | 'stays'>()
  const ready = new Map<Kind, Queued[]>()
  for (const operation of unanswered(queue)) {
    const kind = kindOfOne(operation)
    const { keys = [], locked } = operation
    const stays = keys.some((key) => byKey.has(key) && (locked !== undefined || byKey.get(key) !== kind))
    for (const key of keys) byKey.set(key, stays ? 'stays' : kind)
    const some = ready.get(kind) ?? []
    if (stays || (locked && (locked.until > now || some.length > 0)) || some.length === BATCH) continue
    some.push(operation)
    ready.set(kind, some)
  }
  const ordinary = byPayloadTime(ready.get('ordinary') ?? [])
  const keysBefore = new Set<string>()
  const firsts = ordinary.filter(({ keys = [] }) => {
    const follows = keys.some((key) => keysBefore.has(key))
    for (const key of keys) keysBefore.add(key)
    return !follows
  })
  if (firsts.length > 0 && (ordinary.length - firsts.length) * FIRSTS_FOR_EACH <= firsts.length)
    ready.set('ordinary', firsts)
  return ready
}

/**
 * Returns the kind of the next group. A group of ordinary operations follows each special group. The special kinds
 * take turns.
 */
function nextKind(ready: ReadonlyMap<Kind, unknown>, last: { kind: Kind; special: number }): Kind {
  const specials = SPECIAL.map((_, nth) => SPECIAL[(last.special + 1 + nth) % SPECIAL.length] as Kind)
  const turns: readonly Kind[] = last.kind === 'ordinary' ? [...specials, 'ordinary'] : ['ordinary', ...specials]
  return turns.find((kind) => ready.has(kind)) ?? 'ordinary'
}
