import { customerLane } from '../../operations/lanes/lanes.ts'
import { endTurn } from '../../operations/turns/session-turn.ts'
import type { Operations } from '../../operations/store.ts'
import { hotDeliveries } from './deliveries.ts'
import { createDriving } from './driven.ts'
import { createHot, type Grouping } from './hot.ts'
import { hotItems } from './items.ts'
import { letTurnGo } from '../../operations/turns/let-go.ts'
import { renewAll } from './renew.ts'
import { hotSends } from './sends.ts'
import { takeTurns } from './take-turn.ts'

/** Operations that a delivery has, in their ordinary case: beside others. What is not ordinary goes to `operations`. */
export function hotOperations(
  operations: Operations,
  grouping: Grouping,
): { readonly operations: Operations; close(): Promise<void> } {
  const driving = createDriving(grouping)
  const deliveries = hotDeliveries(operations, grouping)
  const items = hotItems(operations, grouping, driving)
  const sends = hotSends(operations, grouping)
  const taking = createHot(grouping, takeTurns)
  const renewing = createHot(grouping, renewAll)
  return {
    operations: {
      ...operations,
      ...deliveries.operations,
      ...items.operations,
      ...sends.operations,
      takeTurn: (who, lease) =>
        taking.ask({ who, ...lease }, () => operations.takeTurn(who, lease), {
          unwanted: (late) => late && letTurnGo(operations, late, { who, now: lease.now }),
        }),
      endTurn(...asked) {
        const [fence, who, session, now] = asked
        const alone = () => operations.endTurn(...asked)
        if (fence.lane !== customerLane(who)) return alone()
        return driving.drive({ lanes: [fence.lane], steps: (tx) => endTurn(tx, fence, who, session, now) }, alone)
      },
      renew: (fences, clock, leaseMs) =>
        renewing.ask({ fences, clock, leaseMs }, () => operations.renew(fences, clock, leaseMs)),
    },
    async close() {
      await Promise.all([deliveries, items, sends, taking, renewing].map((one) => one.close()))
      await driving.close()
    },
  }
}
