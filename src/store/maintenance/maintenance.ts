import type { Clock, Timers } from '../../base/clock.ts'
import { type Duration, toMs } from '../../base/duration.ts'
import { optionsInvalid } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import type { Pruned, Pruning } from './prune.ts'
import type { Claim, Claimed } from '../work/lanes.ts'
import type { StartedItem } from '../work/items.ts'
import type { DueSend } from '../outbox/send-attempts.ts'

interface Removing {
  prune(pruning: Pruning): Promise<Pruned>
  eraseForgotten(limit: number): Promise<boolean>
  compact(): Promise<{ readonly whole: boolean | undefined }>
}

interface MaintenanceDeps {
  readonly store: Removing
  readonly clock: Clock
  readonly timers: Timers
  readonly log: Log
  /** How long data is kept. Undefined: other processes prune, and this process only erases forgotten customers. */
  readonly retention: Retention | undefined
}

interface Retention {
  readonly bytesMs: number
  readonly idsMs: number
}

const PRUNE_EVERY_MS = 3_600_000
/**
 * Pause before the next attempt, if a reader kept the write-ahead log from being truncated. The log still contains
 * removed data.
 */
const COMPACT_AGAIN_MS = 60_000

/** Prunes, erases and compacts. Several processes may do so at once: each transaction reads the work that is left. */
export class Maintenance {
  readonly #o: MaintenanceDeps
  #isStopped = false
  #cancel = () => {}
  #running: Promise<void> | undefined
  #isWoken = false
  #pruneAt = 0
  #isUnfinished = false

  constructor(o: MaintenanceDeps) {
    this.#o = o
    if (o.retention) this.#begin()
  }

  wake(): void {
    this.#isWoken = true
    if (!this.#isStopped) this.#begin()
  }

  /** Resolves when the running work has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#cancel()
    await this.#running
  }

  #begin(): void {
    this.#cancel()
    this.#running ??= this.#run()
  }

  async #run(): Promise<void> {
    const { clock, timers, retention } = this.#o
    let whole = false
    do {
      this.#isWoken = false
      whole = await this.#runOnce()
    } while (this.#isWoken && !this.#isStopped)
    this.#running = undefined
    if (this.#isStopped || (whole && !retention)) return
    const inMs = whole ? Math.max(0, this.#pruneAt - clock.wall()) : COMPACT_AGAIN_MS
    this.#cancel = timers.after(inMs, () => this.#begin())
  }

  async #runOnce(): Promise<boolean> {
    const { store, log, retention } = this.#o
    try {
      for await (const _ of erasing(store)) if (this.#isStopped) return false
      if (retention && this.#isPruningDue()) await this.#prune(retention)
      return !this.#isStopped && (await store.compact()).whole !== false
    } catch (error) {
      log.warn({ err: error }, 'the maintenance of the database failed; it is retried')
      return false
    }
  }

  #isPruningDue(): boolean {
    const inMs = this.#pruneAt - this.#o.clock.wall()
    return inMs <= 0 || inMs > PRUNE_EVERY_MS
  }

  async #prune({ bytesMs, idsMs }: Retention): Promise<void> {
    const { store, clock, log } = this.#o
    const now = clock.wall()
    const ages = {
      bytesBefore: now - bytesMs,
      idsBefore: now - idsMs,
      now,
      ...(!this.#isUnfinished && { unlessSince: now - PRUNE_EVERY_MS }),
    }
    let [wiped, removed, strays] = [0, 0, 0]
    let begunAt = now
    for await (const pruned of pruning(store, ages)) {
      wiped += pruned.wiped
      removed += pruned.removed
      strays += pruned.strays
      begunAt = pruned.begunAt ?? begunAt
      this.#isUnfinished = pruned.next !== undefined
      if (this.#isStopped && this.#isUnfinished) return
    }
    this.#pruneAt = begunAt + PRUNE_EVERY_MS
    if (wiped + removed + strays > 0) log.debug({ wiped, removed, strays }, 'pruned by retention')
  }
}

/** A transaction of this size takes a few milliseconds, and nothing else is stored meanwhile. */
const DELIVERIES_PER_TRANSACTION = 100

/** Prunes by age. Each step of the iterator is one transaction. Pruning ends if the consumer stops iterating. */
export async function* pruning(
  store: Pick<Removing, 'prune'>,
  ages: Pick<Pruning, 'bytesBefore' | 'idsBefore' | 'now' | 'unlessSince'>,
): AsyncGenerator<Pruned, void, void> {
  let after: Pruned['next']
  do {
    const pruned: Pruned = await store.prune({ ...ages, limit: DELIVERIES_PER_TRANSACTION, ...(after && { after }) })
    yield pruned
    after = pruned.next
  } while (after)
}

/** A transaction of this size takes a few milliseconds, or more if all rows are erased. */
const ERASED_PER_TRANSACTION = 500

export async function* erasing(store: Pick<Removing, 'eraseForgotten'>): AsyncGenerator<void, void, void> {
  while (await store.eraseForgotten(ERASED_PER_TRANSACTION)) yield
}

/**
 * The shortest time for which ids are kept: twice the 300 s by which a timestamp may differ. If an id were forgotten
 * sooner, its delivery could be replayed.
 */
const IDS_AT_LEAST: Duration = '10m'

/** @throws SwitchhookError `options_invalid` if the bot would forget ids too soon. `name`: the option's name. */
export function checkIdsAge(idsMs: number, name: string): void {
  if (idsMs >= toMs(IDS_AT_LEAST)) return
  throw optionsInvalid(`${name}: expected at least ${IDS_AT_LEAST}, because a delivery of that age may arrive again`)
}

interface Claims {
  claimItems(claim: Claim): Promise<Claimed<StartedItem>>
  claimSends(claim: Claim): Promise<Claimed<DueSend>>
}

/** Logs once that a newer release has migrated the database. From then on the store only stores deliveries. */
export function warnOfNewerSchema<Claiming extends Claims>(store: Claiming, log: Log): Claiming {
  let warned = false
  const watch = <Work>(claim: (claim: Claim) => Promise<Claimed<Work>>) => {
    return async (claiming: Claim): Promise<Claimed<Work>> => {
      const claimed = await claim(claiming)
      if (claimed.newerSchema === undefined || warned) return claimed
      warned = true
      log.error(
        { schema: claimed.newerSchema },
        'a newer release has migrated the database. This process only stores deliveries now: stop it',
      )
      return claimed
    }
  }
  return { ...store, claimItems: watch(store.claimItems), claimSends: watch(store.claimSends) }
}

// ── the backlog ─────────────────────────────────────────────────────────────────────────────────────

const LOOK_EVERY_MS = 15_000
const LONG_MS = 60_000

export function watchBacklog(o: {
  store: { waitingSince(now: number): Promise<number | undefined> }
  clock: Clock
  timers: Timers
  report: (waitedMs: number) => void
}) {
  let waitedMs = 0
  let sayAt = LONG_MS
  let stopped = false
  let cancel = () => {}

  async function check(): Promise<void> {
    const now = o.clock.wall()
    const since = await o.store.waitingSince(now)
    waitedMs = since === undefined ? 0 : Math.max(0, now - since)
    if (waitedMs < LONG_MS) sayAt = LONG_MS
    if (waitedMs < sayAt || stopped) return
    o.report(waitedMs)
    while (sayAt <= waitedMs) sayAt *= 2
  }

  function next(): void {
    if (stopped) return
    cancel = o.timers.after(LOOK_EVERY_MS, () => {
      // An error is ignored here: callers that need the store report that it cannot be read.
      void check()
        .catch(() => {})
        .finally(next)
    })
  }

  next()
  return {
    /** Milliseconds for which the oldest work had waited at the last check; 0 if nothing waits. */
    waitedMs: () => waitedMs,
    stop(): void {
      stopped = true
      cancel()
    },
  }
}
