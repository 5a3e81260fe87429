import type { Clock } from '../base/clock.ts'

/** For so long a failure counts. Longer, and whoever sends nothing to what is not ready would never find out. */
const COUNTS_FOR_MS = 10_000

/** Whether deliveries can be stored, as far as the last of them tells. */
export interface Readiness {
  /** Looks at how the storing of one ends, and gives it back. */
  told<T>(storing: Promise<T>): Promise<T>
  ready(): boolean
}

export function createReadiness(clock: Clock): Readiness {
  let failedAt: number | undefined
  return {
    async told(storing) {
      try {
        const stored = await storing
        failedAt = undefined
        return stored
      } catch (error) {
        failedAt = clock.wall()
        throw error
      }
    },
    // Either way, since a clock that was set back must not make it longer.
    ready: () => failedAt === undefined || Math.abs(clock.wall() - failedAt) >= COUNTS_FOR_MS,
  }
}
