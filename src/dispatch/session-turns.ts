import { AsyncLocalStorage } from 'node:async_hooks'
import type { Clock, Timers } from '../base/clock.ts'
import { SwitchhookError } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import { type Lease, LEASE_MS, leaseOf } from '../lanes/lease.ts'
import type { CustomerOfNumber, Fence, SessionWrite, Store } from '../stores/port/index.ts'
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

/** Those who wait for turns of one lane. All of them go before the lane's next item. */
interface Line {
  readonly lane: string
  /** All who are in the line, with the one who has their turn. */
  asking: number
  /** All of them but the one who has their turn. */
  waiting: number
  /** The turn of whoever came last: it never rejects. */
  last: Promise<void>
  /** Has whoever is first ask for the lane again. */
  wake: () => void
}

/** A handler or a change that has the turn of a lane, with the one that it runs in: both may ask for another turn. */
interface Inside {
  readonly lane: string
  readonly around: Inside | undefined
  ended: boolean
}

/** Another process that gives a lane back wakes nobody here. */
const ASK_EVERY_MS = 250

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
    const turn = Promise.race([line.last, stopping.promise]).then(() => inTurn(line, who, change))
    line.last = turn.then(
      () => {},
      () => {},
    )
    try {
      return await turn
    } finally {
      if (--line.asking === 0) lines.delete(lane)
    }
  }

  async function inTurn(line: Line, who: CustomerOfNumber, change: SessionChange): Promise<unknown> {
    for (;;) {
      const lease = await turnOf(line, who)
      held.add(lease)
      try {
        const { value, write } = await changed(who, change, lease.fence)
        const ended = await store.endTurn(lease.fence, who, write, clock.wall())
        if (ended.held) return value
      } finally {
        held.delete(lease)
      }
      line.waiting++
    }
  }

  /** If the change fails, the lane is given back as it was. */
  async function changed(
    who: CustomerOfNumber,
    change: SessionChange,
    fence: Fence,
  ): Promise<{ value: unknown; write: SessionWrite | undefined }> {
    try {
      const session = await openSession(rules, who, deps)
      const given = await runInside(
        laneOf(who),
        async () => await change(session.value),
        (ended) => ended,
      )
      if (given !== undefined) session.value = given
      await session.hasChanged()
      return { value: session.value, write: session.changes(clock.service()) }
    } catch (error) {
      await store.endTurn(fence, who, undefined, clock.wall())
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

  async function turnOf(line: Line, who: CustomerOfNumber): Promise<Lease> {
    try {
      while (!stopped) {
        const freed = new Promise<void>((resolve) => (line.wake = resolve))
        const askedAt = clock.monotonic()
        const lease = { owner: deps.owner, now: clock.wall(), leaseMs: LEASE_MS }
        const fence = await store.takeTurn(who, lease)
        if (fence) return leaseOf(fence, askedAt)
        const cancel = timers.after(ASK_EVERY_MS, line.wake)
        await freed
        cancel()
      }
    } finally {
      line.waiting--
    }
    throw new SwitchhookError('not_started', 'the bot stopped before it was the turn of this change of a session')
  }

  return {
    update,
    within({ number, customer }, begin) {
      // Without sessions nobody asks for a turn, and the context of a handler costs something on Node 22.
      if (!rules || customer === undefined) return begin()
      return runInside(laneOf({ number, customer }), begin, ({ settlement }) => settlement)
    },
    isAwaited: (lane) => lines.size > 0 && isAwaited(lines.get(lane)),
    awaited: () => [...lines.values()].filter(isAwaited).map(({ lane }) => lane),
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
  return { lane, asking: 0, waiting: 0, last: Promise.resolve(), wake: () => {} }
}

function isAwaited(line: Line | undefined): boolean {
  return line !== undefined && line.waiting > 0
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
