import { hasGoneBack, noteWaits } from '../../operations/lanes/clock-rollback.ts'
import type { Fence } from '../../port/index.ts'
import { type HotStatement, ODD } from './hot.ts'
import { lockLanes, stands } from './lock-lanes.ts'

export interface Renewal {
  readonly fences: readonly Fence[]
  readonly clock: () => number
  readonly leaseMs: number
}

/** Prolongs the leases of a process, as long as the clock went on since anything was seen to wait. */
export const renewAll: HotStatement<Renewal, readonly Fence[]> = {
  name: 'renew',
  keysOf: () => ['renewal'],
  async run(tx, group) {
    const answers: (readonly Fence[] | typeof ODD)[] = []
    for (const { fences, clock, leaseMs } of group) {
      const now = clock()
      if (await tx.drive(hasGoneBack(now, leaseMs))) {
        answers.push(ODD)
        continue
      }
      const locked = await lockLanes(
        tx,
        fences.map(({ lane }) => lane),
      )
      const held = fences.filter((fence) => stands(locked, fence))
      if (held.length > 0) await tx.rows(PROLONG, [held.map(({ lane }) => lane), now + leaseMs])
      await tx.drive(noteWaits(now))
      answers.push(fences.filter((fence) => !stands(locked, fence)))
    }
    return answers
  },
}

const PROLONG = 'UPDATE lanes SET ready_at = $2::bigint WHERE key = ANY ($1::text[])'
