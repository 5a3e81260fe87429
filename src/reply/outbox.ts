import type { Clock, Random, Timers } from '../base/clock.ts'
import { reasonOf, SwitchhookError } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import { ApiError, type Client } from '../client/index.ts'
import { createLaneRunner, type LaneRunner, type LaneWork } from '../lanes/runner.ts'
import type { DueSend, Fence, SendRow, SendSettlement, Store } from '../stores/port/index.ts'
import { type AttemptResult, REPEAT_FOR_MS, settlementOf } from './outcome.ts'
import { viaOf } from './window.ts'

/** A settled attempt, told to whoever waits in this process. */
export interface Settled {
  readonly id: string
  readonly as: SendSettlement['as']
  readonly replayed: boolean
  readonly error: ApiError | undefined
}

export interface OutboxRoom {
  readonly store: Store
  readonly owner: string
  readonly clock: Clock
  readonly timers: Timers
  readonly random: Random
  readonly log: Log
  readonly onUnknown: 'repeat' | 'hold'
  readonly report: SendReport
  /** The client of a number; undefined where the app gave no token. */
  client(number: string): Client | undefined
}

/** Hears what becomes of sends. */
export interface SendReport {
  settled(send: SendRow, settlement: SendSettlement): void
  /** A rerun, or a second send under one key, asked for another text. */
  diverged(send: SendRow, slot: string): void
  unforeseen(send: SendRow, error: unknown): void
}

export interface Outbox extends LaneRunner {
  /** Resolves when this process settles that send, or after `waitMs` with undefined. */
  settled(id: string, waitMs: number): Promise<Settled | undefined>
}

const SENDS_AT_ONCE = 16

/**
 * Drives sends out of their table: per customer in order, each attempt committed before a byte leaves, repeated
 * by the contract's table. It is the only layer that retries; the client is called for single attempts.
 */
export function createOutbox(room: OutboxRoom): Outbox {
  const waiting = new Map<string, Set<(settled: Settled) => void>>()
  const tell = (settled: Settled) => {
    for (const hear of waiting.get(settled.id) ?? []) hear(settled)
  }
  const runner = createLaneRunner({ ...room, lanes: SENDS_AT_ONCE, work: createSending(room, tell) })

  return {
    ...runner,
    settled: (id, waitMs) =>
      new Promise((resolve) => {
        const hearers = waiting.get(id) ?? new Set()
        waiting.set(id, hearers)
        const done = (settled: Settled | undefined) => {
          cancel()
          hearers.delete(done)
          if (hearers.size === 0) waiting.delete(id)
          resolve(settled)
        }
        const cancel = room.timers.after(waitMs, () => done(undefined))
        hearers.add(done)
      }),
  }
}

/** One turn of a lane of sends: decide, commit, send, settle. */
function createSending(room: OutboxRoom, tell: (settled: Settled) => void): LaneWork<DueSend> {
  async function run(fence: Fence, due: DueSend, goOn: () => boolean): Promise<DueSend | undefined> {
    // Somebody began an attempt and did not settle it: its outcome is unknown.
    const doubtful = due.send.state === 'attempting'
    if (doubtful && mayNotRepeat(due.send)) return settle(fence, due.send, GIVEN_UP, undefined, goOn)

    const via = doubtful ? due.send.via : viaOf(due, room.clock.service())
    if (!(await room.store.beginSend(fence, due.send.id, via, room.clock.wall()))) return undefined
    const begun = asBegun(due.send, via)
    const result = await attempt(begun)
    const settlement = settlementOf(begun, doubtful, result, {
      now: room.clock.wall(),
      random: room.random,
      onUnknown: room.onUnknown,
    })
    return settle(fence, begun, settlement, result, goOn)
  }

  async function attempt(send: SendRow): Promise<AttemptResult> {
    const fallback = send.via === 'template' ? send.fallback : undefined
    try {
      const client = room.client(send.number)
      if (!client) throw new SwitchhookError('no_access_token', 'no access token for this number')
      return await client.attempt({ body: fallback?.body ?? send.body, idempotencyKey: fallback?.key ?? send.key })
    } catch (error) {
      if (error instanceof ApiError) return { error }
      if (error instanceof SwitchhookError && error.code === 'no_access_token') return { withoutToken: error.message }
      room.report.unforeseen(send, error)
      return { unknown: reasonOf(error) }
    }
  }

  async function settle(
    fence: Fence,
    send: SendRow,
    settlement: SendSettlement,
    result: AttemptResult | undefined,
    goOn: () => boolean,
  ): Promise<DueSend | undefined> {
    const next = { now: room.clock.wall(), goOn: goOn() }
    const settled = await room.store.settleSend(fence, send.id, settlement, next)
    if (!settled.held) return undefined
    room.report.settled(send, settlement)
    if (settlement.as === 'ready' || settlement.as === 'attempting' || settlement.as === 'fall_back')
      return settled.next
    tell({
      id: send.id,
      as: settlement.as,
      replayed: result !== undefined && 'message' in result && result.replayed,
      error: result !== undefined && 'error' in result ? result.error : undefined,
    })
    return settled.next
  }

  function mayNotRepeat(send: SendRow): boolean {
    return room.onUnknown === 'hold' || room.clock.wall() - (send.firstAttemptAt ?? 0) >= REPEAT_FOR_MS
  }

  return { claim: (claim) => room.store.claimSends(claim), run }
}

const GIVEN_UP: SendSettlement = {
  as: 'unknown',
  code: undefined,
  reason: 'an attempt was begun and its outcome is not known; it is not repeated any more, a status may still name it',
}

function asBegun(send: SendRow, via: SendRow['via']): SendRow {
  return { ...send, via, attempts: send.attempts + 1 }
}
