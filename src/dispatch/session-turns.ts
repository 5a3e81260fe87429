import { AsyncLocalStorage } from 'node:async_hooks'
import type { Clock, Timers } from '../base/clock.ts'
import { SwitchhookError } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import { type Lease, LEASE_MS, leaseOf } from '../lanes/lease.ts'
import type { CustomerOfNumber, EndedTurn, Fence, SessionWrite, Store } from '../stores/port/index.ts'
import { openSession, type SessionRules } from './session.ts'

/** Changes a session in place, or gives another one in its place. */
// oxlint-disable-next-line typescript/no-explicit-any -- the app's own session
export type SessionChange = (session: any) => unknown

/** Sessions that are written from outside handlers, each as a turn of its customer's lane. */
export interface SessionTurns {
  /** See `SenderReach.updateSession`. */
  update(who: CustomerOfNumber, change: SessionChange): Promise<unknown>
  /** Begins an attempt whose handlers are known if they ask for a turn of their own lane. */
  within<A extends { readonly settlement: Promise<unknown> }>(item: LaneOfItem, begin: () => A): A
  /** True if somebody goes before this lane's next item: whoever holds the lane gives it back. */
  isAwaited(lane: string): boolean
  /** The lanes of which this is true. */
  awaited(): readonly string[]
  /** An item of the lane begins. */
  begins(lane: string): void
  /** The lane was given back. */
  released(lane: string): void
  heldLeases(): readonly Lease[]
  /** Whoever waits for a turn waits no longer. */
  stop(): void
}

interface LaneOfItem {
  readonly number: string
  readonly customer: string | undefined
}

export interface SessionTurnsDeps {
  readonly store: Store
  readonly owner: string
  readonly session: SessionRules | undefined
  readonly clock: Clock
  readonly timers: Timers
  readonly log: Log
}

/**
 * Those who wait for turns of one lane. They go in rounds: all who wait when a round begins go before the lane's next item, and
 * those who come later go behind that item. Otherwise changes that keep coming would hold up the customer's messages.
 */
interface Line {
  readonly lane: string
  /** All who are in the line, with the one who has their turn. */
  asking: number
  /** All of them but the one who has their turn. */
  waiting: number
  /** How many have come since the line began: the place of the next one. */
  came: number
  /** The place of the last one of this round. */
  lastOfRound: number
  /** The round is over, and until then, by the monotonic clock, the lane's next item goes first. */
  givesWayUntil: number
  /** The turn of whoever came last: it never rejects. */
  last: Promise<void>
  /** Has whoever is first ask for the lane again. */
  wake: () => void
}

/** One change that was asked for, with its place in the line. */
interface Asked {
  readonly line: Line
  readonly place: number
  readonly who: CustomerOfNumber
}

/** A handler or a change that has the turn of a lane, with the one that it runs in: both may ask for another turn. */
interface Inside {
  readonly lane: string
  readonly around: Inside | undefined
  ended: boolean
}

/** Another process that gives a lane back wakes nobody here. */
const ASK_EVERY_MS = 250
/**
 * Every process that works has looked for work by then. An item that nobody could begin is waited for no longer: the slot that
 * it lacks may be that of a handler which waits here.
 */
const GIVE_WAY_MS = 1_500

export function createSessionTurns(deps: SessionTurnsDeps): SessionTurns {
  const { store, clock, timers, session: rules } = deps
  const held = new Set<Lease>()
  const lines = new Map<string, Line>()
  const handling = new AsyncLocalStorage<Inside>()
  const stopping = Promise.withResolvers<void>()
  let stopped = false

  async function update(who: CustomerOfNumber, change: SessionChange): Promise<unknown> {
    if (!rules) throw noSessions()
    const lane = laneOf(who)
    if (isInside(handling.getStore(), lane)) throw waitsForItself()
    const line = lines.get(lane) ?? newLine(lane)
    lines.set(lane, line)
    line.asking++
    line.waiting++
    const place = line.came++
    const turn = Promise.race([line.last, stopping.promise]).then(() => inTurn({ line, place, who }, change))
    line.last = turn.then(
      () => {},
      () => {},
    )
    try {
      return await turn
    } finally {
      line.asking--
      forgetIfDone(line)
    }
  }

  async function inTurn(asked: Asked, change: SessionChange): Promise<unknown> {
    const { line } = asked
    for (;;) {
      const lease = await turnOf(asked)
      held.add(lease)
      try {
        const { value, write } = await changed(asked, change, lease.fence)
        const ended = await endTurn(asked, lease.fence, write)
        if (ended.held) return value
      } finally {
        held.delete(lease)
      }
      line.waiting++
    }
  }

  /** If the change fails, the lane is given back as it was. */
  async function changed(
    asked: Asked,
    change: SessionChange,
    fence: Fence,
  ): Promise<{ value: unknown; write: SessionWrite | undefined }> {
    try {
      const session = await openSession(rules, asked.who, deps)
      const given = await runInside(
        asked.line.lane,
        async () => await change(session.value),
        (ended) => ended,
      )
      if (given !== undefined) session.value = given
      await session.hasChanged()
      return { value: session.value, write: session.changes(clock.service()) }
    } catch (error) {
      await endTurn(asked, fence, undefined)
      throw error
    }
  }

  function runInside<T>(lane: string, begin: () => T, endOf: (begun: T) => Promise<unknown>): T {
    const inside: Inside = { lane, around: handling.getStore(), ended: false }
    const begun = handling.run(inside, begin)
    // Code that a handler or a change left running may ask for a turn like anybody else.
    const end = () => void (inside.ended = true)
    endOf(begun).then(end, end)
    return begun
  }

  async function turnOf({ line, place, who }: Asked): Promise<Lease> {
    try {
      while (!stopped) {
        const freed = new Promise<void>((resolve) => (line.wake = resolve))
        const askedAt = clock.monotonic()
        const lease = { owner: deps.owner, now: clock.wall(), leaseMs: LEASE_MS }
        const fence = givesWay(line) ? undefined : await store.takeTurn(who, lease)
        if (fence) return leaseOf(fence, askedAt)
        const cancel = timers.after(ASK_EVERY_MS, line.wake)
        await freed
        cancel()
      }
    } finally {
      line.waiting--
      if (place > line.lastOfRound) line.lastOfRound = line.came - 1
    }
    throw new SwitchhookError('not_started', 'the bot stopped before it was the turn of this change of a session')
  }

  async function endTurn(
    { line, place, who }: Asked,
    fence: Fence,
    write: SessionWrite | undefined,
  ): Promise<EndedTurn> {
    // Before the commit, because a claim that follows it leaves out the lanes that are awaited.
    if (place === line.lastOfRound) line.givesWayUntil = clock.monotonic() + GIVE_WAY_MS
    const ended = await store.endTurn(fence, who, write, clock.wall())
    if (!ended.waits) line.givesWayUntil = 0
    return ended
  }

  function givesWay(line: Line): boolean {
    return clock.monotonic() < line.givesWayUntil
  }

  function isAwaited(line: Line | undefined): boolean {
    return line !== undefined && line.waiting > 0 && !givesWay(line)
  }

  /** A line that gives way is kept, because the next change may come at once. */
  function forgetIfDone(line: Line): void {
    if (line.asking === 0 && !givesWay(line)) lines.delete(line.lane)
  }

  return {
    update,
    within({ number, customer }, begin) {
      // Without sessions nobody asks for a turn, and the context of a handler costs something on Node 22.
      if (!rules || customer === undefined) return begin()
      return runInside(laneOf({ number, customer }), begin, ({ settlement }) => settlement)
    },
    isAwaited: (lane) => lines.size > 0 && isAwaited(lines.get(lane)),
    awaited() {
      // The item that a line gave way to may have begun in another process.
      for (const line of lines.values()) forgetIfDone(line)
      return [...lines.values()].filter(isAwaited).map(({ lane }) => lane)
    },
    begins(lane) {
      const line = lines.get(lane)
      if (!line) return
      line.givesWayUntil = 0
      forgetIfDone(line)
    },
    released: (lane) => lines.get(lane)?.wake(),
    heldLeases: () => [...held],
    stop() {
      stopped = true
      stopping.resolve()
      for (const line of lines.values()) line.wake()
    },
  }
}

function newLine(lane: string): Line {
  const state = { came: 0, lastOfRound: -1, givesWayUntil: 0 }
  return { lane, asking: 0, waiting: 0, ...state, last: Promise.resolve(), wake: () => {} }
}

function isInside(inside: Inside | undefined, lane: string): boolean {
  return inside !== undefined && ((inside.lane === lane && !inside.ended) || isInside(inside.around, lane))
}

/** The key of the lane of a customer's messages. */
function laneOf({ number, customer }: CustomerOfNumber): string {
  return `${number}/${customer}`
}

function noSessions(): SwitchhookError {
  return new SwitchhookError('options_invalid', 'updateSession(): this bot has no sessions, give it the option session')
}

function waitsForItself(): SwitchhookError {
  return new SwitchhookError(
    'options_invalid',
    'updateSession() was called in a handler of the same customer, or in a change of their session, for whose end it would wait: ' +
      'change ctx.session there, or what the change is given',
  )
}
