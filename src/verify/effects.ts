import type { Timers } from '../base/clock.ts'

/** Counts what the receiver has done, where somebody can see that. */
export interface Counter {
  /** How many effects there are by now. */
  readonly count: () => Promise<number>
  readonly timers: Timers
  /** How long the count must stand still to be believed, ms. */
  readonly settleMs: number
  /** How long effects may keep one waiting, ms: they come after the answer. */
  readonly withinMs: number
}

/** The count once it stands still, and not before it has come to `least` or time is up. */
export async function settled({ count, timers, settleMs, withinMs }: Counter, least = 0): Promise<number> {
  const rounds = Math.max(1, Math.ceil(withinMs / settleMs))
  let before = await count()
  for (let round = 0; round < rounds; round++) {
    await new Promise<void>((done) => timers.after(settleMs, done))
    const now = await count()
    if (now === before && now >= least) return now
    before = now
  }
  return before
}
