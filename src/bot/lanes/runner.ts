import { afterThisTurn, type Clock, endsWithin, type Timers } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { MaybeAsync } from '../../base/value.ts'
import {
  type Beginning,
  type Claim,
  type Claimed,
  type Fence,
  type Begun,
  numberOf,
  type Room,
} from '../../store/types/types.ts'
import { LEASE_MS, type ProcessLease } from './lease.ts'

export type LaneRunner<Work> = ReturnType<typeof createLaneRunner<Work>>

/** Nothing wakes this process for work that another one left behind. */
const POLL_EVERY_MS = 1_000
/** After this many turns a lane waits for room again. */
const TURNS_PER_CLAIM = 50
/**
 * A run that the store marks as this process's, and that it does not run at two comparisons so far apart, was lost by a bug
 * of Switchhook: it would wait for as long as the process lives.
 */
const COMPARE_EVERY_MS = 60_000

/** Works on `lanes` lanes at a time. Work begins in the store alone, which asks for room within the commit. */
export function createLaneRunner<Work>(o: {
  work: LaneWork<Work>
  lease: ProcessLease
  lanes: number
  numbers: number
  clock: Clock
  timers: Timers
  log: Log
  /** So many runs were lost, and are freed. */
  lost: (count: number) => void
}) {
  let running = 0
  let unended = 0
  let lastEnded = () => {}
  const shared = o.numbers > 1
  const all = createRoom(o.lanes, { shared })
  /** Work was left in the store for want of room, and goes before what comes now. */
  let lacksRoom = false
  let woken = false
  let looksLater = false
  /** Numbers that had their share of the room, so that work of theirs was left in the store. */
  let crowded = new Set<string>()
  let servedLast: string | undefined
  let polling: Promise<void> | undefined
  let pollAgain = false
  let stopped = false
  let failing = false
  /** What is marked in the store as running under this process is to be compared with what runs. */
  let doubtful = false
  // A list and not a map. V8 chains the tables that a busy map or set leaves behind, and once one of them is old, all
  // that was ever in the later ones stays in memory until the next full collection: a tenth of a delivery's cost.
  const begunHere: Fence[] = []
  let compareAt = o.clock.monotonic() + COMPARE_EVERY_MS
  let perhapsLost: readonly Fence[] = []
  let cancelPoll = () => {}

  async function poll(): Promise<void> {
    cancelPoll()
    let nextAt: number | undefined
    try {
      do {
        // The commit that released a lane may have called this: its task is notified in this turn.
        await afterThisTurn()
        pollAgain = false
        if (doubtful || o.clock.monotonic() >= compareAt) await freeUnknown()
        nextAt = await claimOnce()
        failing = false
      } while (pollAgain && !stopped)
    } catch (error) {
      // Logged once per outage: a full disk stays full for hours, and the log may be on it too.
      if (!failing) o.log.error({ err: error }, 'looking for work failed; it is tried again')
      failing = true
    }
    polling = undefined
    if (!stopped) cancelPoll = o.timers.after(waitUntil(nextAt), look)
  }

  async function claimOnce(): Promise<number | undefined> {
    const limit = all.free
    looksLater = limit <= 0
    if (looksLater) {
      // A poll that nobody asked for knows of no work, and what comes now need not wait behind it.
      lacksRoom ||= woken
      return undefined
    }
    woken = false
    const { begun, nextAt } = await claim(limit)
    // Not before: what arrives during the claim would take the room of what waits.
    crowded = new Set(all.full())
    const othersAreReady = nextAt !== undefined && nextAt <= o.clock.wall()
    // Settlements that went before the claim may have taken the room that was left.
    const foundAllFull = begun.length >= limit || all.free <= 0
    // What came behind the claim in its commit has woken this runner again.
    lacksRoom = othersAreReady && foundAllFull
    if (!lacksRoom) return nextAt
    if (all.free > 0) pollAgain = true
    return undefined
  }

  /**
   * What a commit has begun whose answer never came begins again: no lease ends, since this process lives. Without such a
   * commit a run that is not known here is lost, if it was not known at the last comparison either.
   */
  async function freeUnknown(): Promise<void> {
    const afterDoubt = doubtful
    doubtful = false
    try {
      const marked = await o.work.marked(o.lease.name)
      // What other operations of that commit have begun is known by now.
      await afterThisTurn()
      const unknown = marked.filter((run) => !has(begunHere, run))
      const freed = afterDoubt ? unknown : unknown.filter((run) => has(perhapsLost, run))
      perhapsLost = unknown
      compareAt = o.clock.monotonic() + COMPARE_EVERY_MS
      if (freed.length === 0) return
      await o.work.free(freed, o.clock.wall())
      if (!afterDoubt) o.lost(freed.length)
    } catch (error) {
      doubtful ||= afterDoubt
      throw error
    }
  }

  async function claim(limit: number): Promise<Claimed<Work>> {
    const after = shared ? servedLast : undefined
    const { name } = o.lease
    const claimed = await offer({ commit: (begin, run) => o.work.claim({ ...begin, limit, after }, run) })
    if (claimed.dead) o.lease.lost(name)
    const last = claimed.begun.at(-1)
    if (last) servedLast = numberOf(last.fence.lane)
    return claimed
  }

  /**
   * Offers room to one operation of the store, which begins as much as it finds room for. It hands that to `run` before
   * anything else happens with its answer: between the two nothing may throw.
   */
  async function offer<T>({ commit, behind = false }: Offer<Work, T>): Promise<T> {
    const { room, end } = offerRoom({ behind })
    const { name } = o.lease
    const answered = Promise.withResolvers<void>()
    track(answered.promise)
    let isRunning = false
    const run = (begun: readonly Begun<Work>[], after?: Promise<unknown>) => {
      isRunning = true
      end(begun)
      for (const { fence } of begun) begunHere.push(fence)
      running += begun.length
      const start = () => {
        for (const one of begun) track(drain(name, one))
      }
      answered.resolve(Promise.resolve(after).then(start, start))
    }
    try {
      return await commit(
        { processName: name, now: o.clock.wall(), leaseMs: LEASE_MS, others: o.lease.others, room },
        run,
      )
    } finally {
      if (!isRunning) run([])
    }
  }

  async function drain(name: string, first: Begun<Work>): Promise<void> {
    const number = numberOf(first.fence.lane)
    let hasRoom = true
    let current: Begun<Work> | undefined = first
    for (let turns = 1; current !== undefined; turns++) {
      const { fence, work }: Begun<Work> = current
      let settled: { readonly next?: Begun<Work> | undefined } | undefined
      const mayContinue = () => !stopped && turns < TURNS_PER_CLAIM && o.lease.name === name && o.lease.isFresh()
      const settle: Turn<Work>['settle'] = async (commit) => {
        giveBack([number])
        const offered = offerRoom()
        hasRoom = false
        try {
          const done = await commit({ goOn: mayContinue(), room: offered.room })
          settled = done
          return done
        } finally {
          const next = settled?.next
          hasRoom = next !== undefined
          if (next) begunHere.push(next.fence)
          offered.end(next ? [next] : [])
        }
      }
      try {
        // The answer that brought the work may be later than the end of the lease.
        if (await o.lease.freshen(name))
          await o.work.run(fence, work, { settle, keepLease: () => o.lease.freshen(name) })
      } catch (error) {
        const line = settled ? 'what follows a settlement failed' : 'work in a lane was not settled; it is begun again'
        o.log.error({ err: error, run: fence.run }, line)
        if (!settled) await o.work.putOff(current, o.clock.wall() + LEASE_MS).catch(rest)
      }
      forget(fence)
      current = settled?.next
    }
    running--
    if (hasRoom) giveBack([number])
  }

  /** Before work begins again that could be neither settled nor put off: it may fail at once each time. */
  async function rest(): Promise<void> {
    await new Promise<void>((resolve) => void o.timers.after(POLL_EVERY_MS, resolve))
    doubt()
  }

  function forget(fence: Fence): void {
    begunHere.splice(begunHere.indexOf(fence), 1)
  }

  /** @param o.behind the operation gets room only if no older work waits for it. */
  function offerRoom({ behind = false } = {}) {
    const taken: string[] = []
    let ended = false
    const without = (number: string) => taken.splice(taken.indexOf(number), 1)
    const room: Room = {
      take(number) {
        if (ended) return false
        const waits = stopped || all.free <= 0 || (behind && lacksRoom)
        if (waits) lacksRoom = true
        else if ((behind && crowded.has(number)) || !all.take(number)) crowded.add(number)
        else return taken.push(number) > 0
        return false
      },
      give(number) {
        if (ended) return
        without(number)
        // A claim may have found no room while it was taken.
        giveBack([number])
      },
      full() {
        const full = all.full()
        for (const number of full) crowded.add(number)
        return full
      },
    }
    /** Room that was taken and that the begun work does not use is free again. */
    const end = (begun: readonly { readonly fence: Fence }[]) => {
      ended = true
      for (const { fence } of begun) without(numberOf(fence.lane))
      giveBack(taken)
    }
    return { room, end }
  }

  function giveBack(numbers: readonly string[]): void {
    for (const number of numbers) all.give(number)
    if (numbers.length > 0 && (lacksRoom || looksLater || crowded.size > 0)) look()
  }

  /** Counts a task until it ends, since a stop waits for it. A set of them would keep them in memory long after. */
  function track(task: Promise<void>): void {
    unended++
    const end = () => {
      if (--unended === 0) lastEnded()
    }
    task.then(end, end)
  }

  async function allEnded(): Promise<void> {
    await polling
    while (unended > 0) await new Promise<void>((resolve) => (lastEnded = resolve))
  }

  function waitUntil(nextAt: number | undefined): number {
    if (nextAt === undefined) return POLL_EVERY_MS
    return Math.min(POLL_EVERY_MS, Math.max(1, nextAt - o.clock.wall()))
  }

  function doubt(): void {
    doubtful = true
    look()
  }

  function wake(): void {
    woken = true
    look()
  }

  function look(): void {
    if (stopped) return
    if (polling) pollAgain = true
    else polling = poll()
  }

  return {
    /** Work may be waiting in the store: claims it when there is room. */
    wake,
    /** A commit whose outcome was unknown may have begun work that this runner does not know of. */
    doubt,
    /** Room for work that the store begins outside claims; none while older work waits. A stop waits for its end. */
    offer: <T>(commit: Offer<Work, T>['commit']) => offer({ commit, behind: true }),
    /** A stop waits for it too. */
    track,
    running: () => running,
    /** Claims nothing more. Resolves with true when all running work has ended, or with false after `drainMs`. */
    async stop(drainMs: number) {
      stopped = true
      cancelPoll()
      return endsWithin(drainMs, o.timers, allEnded())
    },
  }
}

/** A number of several may have so many times the lanes that are free: an eighth stays free for others. */
const SHARE = 7

/** @param o.shared several numbers share the room; one alone may have all of it. */
export function createRoom(lanes: number, { shared }: { shared: boolean }) {
  const taken = new Map<string, number>()
  let free = lanes

  const hasShare = (began: number) => shared && began >= SHARE * free

  return {
    get free() {
      return free
    },
    take(number: string) {
      const began = taken.get(number) ?? 0
      if (free <= 0 || hasShare(began)) return false
      free--
      if (shared) taken.set(number, began + 1)
      return true
    },
    give(number: string) {
      free++
      if (!shared) return
      const left = (taken.get(number) ?? 0) - 1
      if (left > 0) taken.set(number, left)
      else taken.delete(number)
    },
    /** Numbers that have their share: they get no more until they give some back, or others do. */
    full: () => [...taken].filter(([, began]) => hasShare(began)).map(([number]) => number),
  }
}

/** The inbox's items, or the outbox's sends. */
export interface LaneWork<Work> {
  /** What it begins it hands to `run` at once, and returns it too. */
  claim(claim: Claim, run: (begun: readonly Begun<Work>[]) => void): Promise<Claimed<Work>>
  /** Does the work and settles it, by its turn. It may leave work unsettled that was freed. */
  run(fence: Fence, work: Work, turn: Turn<Work>): Promise<void>
  /** Settles work whose run failed by an error in Switchhook: it is begun again at that wall time, counted as an attempt. */
  putOff(one: Begun<Work>, at: number): Promise<unknown>
  /** What is marked in the store as running under this name. */
  marked(processName: string): Promise<readonly Fence[]>
  /** Puts such work back, to begin again. */
  free(runs: readonly Fence[], now: number): Promise<unknown>
}

export interface Turn<Work> {
  /**
   * Calls `commit`, which settles the work and may begin the lane's next one. Only that is left, so the work's room is
   * free. What it began runs, whatever happens afterwards. Without `goOn` others come first, or the bot stops.
   */
  settle<T extends { readonly next?: Begun<Work> | undefined }>(
    commit: (o: { readonly goOn: boolean; readonly room: Room }) => Promise<T>,
  ): Promise<T>
  /** Renews a lease that is nearly over; false if another process took over. */
  keepLease(): MaybeAsync<boolean>
}

interface Offer<Work, T> {
  /** @param run runs what was begun, once `after` has settled. */
  commit(begin: Beginning, run: (begun: readonly Begun<Work>[], after?: Promise<unknown>) => void): Promise<T>
  /** It gets room only if no older work waits for it. */
  readonly behind?: boolean
}

function has(runs: readonly Fence[], { of, run }: Fence): boolean {
  return runs.some((one) => one.of === of && one.run === run)
}
