import { hasGoneBack, noteWaits } from '../../operations/lanes/clock-rollback.ts'
import type { Operations } from '../../operations/store.ts'
import type { Fence } from '../../port/index.ts'
import { hotDeliveries } from './accept.ts'
import { createDriving, lockLanes, stands } from './driven.ts'
import { createHot, type Grouping, type HotStatement, ODD } from './hot.ts'
import { hotItems } from './items.ts'
import { hotSends } from './sends.ts'

/** Operations that a delivery has, in their ordinary case: beside others. What is not ordinary goes to `operations`. */
export function hotOperations(
  operations: Operations,
  grouping: Grouping,
): { readonly operations: Operations; close(): Promise<void> } {
  const driving = createDriving(grouping)
  const deliveries = hotDeliveries(operations, grouping)
  const items = hotItems(operations, grouping, driving)
  const sends = hotSends(operations, grouping, driving)
  const renewing = createHot(grouping, renewAll)
  return {
    operations: {
      ...operations,
      ...deliveries.operations,
      ...items.operations,
      ...sends.operations,
      renew: (fences, clock, leaseMs) =>
        renewing.ask({ fences, clock, leaseMs }, () => operations.renew(fences, clock, leaseMs)),
    },
    async close() {
      await Promise.all([deliveries, items, sends, renewing].map((one) => one.close()))
      await driving.close()
    },
  }
}

interface Renewal {
  readonly fences: readonly Fence[]
  readonly clock: () => number
  readonly leaseMs: number
}

/** Prolongs the leases of a process, as long as the clock went on since anything was seen to wait. */
const renewAll: HotStatement<Renewal, readonly Fence[]> = {
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
