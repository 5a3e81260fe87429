import type { Steps } from '../../operations/steps.ts'
import type { Fence } from '../../port/index.ts'
import { createDriving } from './driven.ts'
import type { Grouping, ODD } from './hot.ts'

/** Results of effects that have run, which are on their way into the tables. */
export interface Keeping {
  keep<T>(fence: Fence, steps: () => Steps<T | typeof ODD>, alone: () => Promise<T>): Promise<T>
  /** Resolves once all that was to be kept in the lane is; undefined if that is all. A settlement goes behind them. */
  inLane(lane: string): Promise<unknown> | undefined
  close(): Promise<void>
}

export function createKeeping(grouping: Grouping): Keeping {
  const { drive, close } = createDriving(grouping)
  const underWay = new Map<string, Promise<unknown>>()
  return {
    keep({ lane }, steps, alone) {
      const kept = drive({ lanes: [lane], steps }, alone, { kept: true })
      const all = Promise.allSettled([underWay.get(lane), kept]).then(() => {
        if (underWay.get(lane) === all) underWay.delete(lane)
      })
      underWay.set(lane, all)
      return kept
    },
    inLane: (lane) => underWay.get(lane),
    async close() {
      await close()
      // Settlements that go behind them are asked for by then.
      await Promise.all(underWay.values())
    },
  }
}
