import { createLaneRunner, type LaneRunner } from '../lanes/runner.ts'
import type { SendDeps, Settled } from './types.ts'
import { createSendTurns } from './send-turns.ts'

export interface SendWorker extends LaneRunner {
  /** Resolves when this process settles that send, or after `waitMs` with undefined. */
  settled(id: string, waitMs: number): Promise<Settled | undefined>
}

const SENDS_AT_ONCE = 16

/**
 * Drives sends out of their table: per customer in order, each attempt committed before a byte leaves, repeated
 * by the contract's table. It is the only layer that retries; the client is called for single attempts.
 */
export function createSendWorker(room: SendDeps): SendWorker {
  const waiting = new Map<string, Set<(settled: Settled) => void>>()
  const tell = (settled: Settled) => {
    for (const hear of waiting.get(settled.id) ?? []) hear(settled)
  }
  const runner = createLaneRunner({ ...room, lanes: SENDS_AT_ONCE, work: createSendTurns(room, tell) })

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
