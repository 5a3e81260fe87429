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
  /** True if somebody waits for this lane: whoever holds it gives it back before its next item. */
  isAwaited(lane: string): boolean
  /** The lanes that somebody waits for. */
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

/** Another process that gives a lane back wakes nobody here. */
const ASK_EVERY_MS = 250

export function createSessionTurns(deps: SessionTurnsDeps): SessionTurns {
  const { store, clock, timers, session: rules } = deps
  const held = new Set<Lease>()
  /** Those who wait, by lane. */
  const waiting = new Map<string, Set<() => void>>()
  const handling = new AsyncLocalStorage<{ readonly lane: string; ended: boolean }>()
  let stopped = false

  async function update(who: CustomerOfNumber, change: SessionChange): Promise<unknown> {
    if (!rules) throw noSessions()
    const inside = handling.getStore()
    if (inside?.lane === laneOf(who) && !inside.ended) throw waitsForItself()
    for (;;) {
      const lease = await turnOf(who)
      const { fence } = lease
      held.add(lease)
      try {
        const { value, write } = await changed(who, change, fence)
        if (await store.endTurn(fence, who, write, clock.wall())) return value
      } finally {
        held.delete(lease)
        released(fence.lane)
      }
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
      const given = await change(session.value)
      if (given !== undefined) session.value = given
      await session.hasChanged()
      return { value: session.value, write: session.changes(clock.service()) }
    } catch (error) {
      await store.endTurn(fence, who, undefined, clock.wall())
      throw error
    }
  }

  async function turnOf(who: CustomerOfNumber): Promise<Lease> {
    const lane = laneOf(who)
    const wakes = waiting.get(lane) ?? new Set()
    waiting.set(lane, wakes)
    let wake = () => {}
    const wakeThis = () => wake()
    wakes.add(wakeThis)
    try {
      while (!stopped) {
        const freed = new Promise<void>((resolve) => (wake = resolve))
        const askedAt = clock.monotonic()
        const fence = await store.takeTurn(who, { owner: deps.owner, now: clock.wall(), leaseMs: LEASE_MS })
        if (fence) return leaseOf(fence, askedAt)
        const cancel = timers.after(ASK_EVERY_MS, wakeThis)
        await freed
        cancel()
      }
    } finally {
      wakes.delete(wakeThis)
      if (wakes.size === 0) waiting.delete(lane)
    }
    throw new SwitchhookError('not_started', 'the bot stopped before it was the turn of this change of a session')
  }

  function released(lane: string): void {
    for (const wake of waiting.get(lane) ?? []) wake()
  }

  return {
    update,
    within({ number, customer }, begin) {
      // Without sessions nobody asks for a turn, and the context of a handler costs something on Node 22.
      if (!rules || customer === undefined) return begin()
      const inside = { lane: laneOf({ number, customer }), ended: false }
      const begun = handling.run(inside, begin)
      // Code that the handler left running may ask for a turn like anybody else.
      const end = () => void (inside.ended = true)
      begun.settlement.then(end, end)
      return begun
    },
    isAwaited: (lane) => waiting.size > 0 && waiting.has(lane),
    awaited: () => [...waiting.keys()],
    released,
    heldLeases: () => [...held],
    stop() {
      stopped = true
      for (const lane of waiting.keys()) released(lane)
    },
  }
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
    'updateSession() was called in a handler of the same customer, for whose end it would wait: change ctx.session there',
  )
}
