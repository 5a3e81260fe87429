import type { Clock } from '../base/clock.ts'
import type { Answer } from './answers.ts'

/** For so long a delivery that was turned away counts. Longer, and whoever sends none to what is not ready never finds out. */
const COUNTS_FOR_MS = 10_000

/** Whether deliveries can be stored, as far as the last of them tells. */
export interface Readiness {
  note(answer: Answer): void
  ready(): boolean
}

export function createReadiness(clock: Clock): Readiness {
  let turnedAwayAt: number | undefined
  return {
    note({ status }) {
      if (status === 503) turnedAwayAt = clock.wall()
      if (status === 200) turnedAwayAt = undefined
    },
    // Either way, since a clock that was set back must not make it longer.
    ready: () => turnedAwayAt === undefined || Math.abs(clock.wall() - turnedAwayAt) >= COUNTS_FOR_MS,
  }
}
