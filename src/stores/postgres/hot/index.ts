import { customerLane } from '../../operations/lanes/lanes.ts'
import { endTurn } from '../../operations/turns/session-turn.ts'
import type { Operations } from '../../operations/store.ts'
import type { Fence } from '../../port/index.ts'
import { hotDeliveries } from './deliveries.ts'
import { createDriving } from './driven.ts'
import { createHot, type Grouping, ODD } from './hot.ts'
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
      async takeTurn(who, lease) {
        const unwanted = (late: Fence | undefined | typeof ODD) => {
          if (late !== ODD && late) letTurnGo(operations, late, { who, now: lease.now })
        }
        const taken = await taking.ask({ who, ...lease }, { unwanted })
        return taken === ODD ? operations.takeTurn(who, lease) : taken
      },
      endTurn(...asked) {
        const [fence, who, session, now] = asked
        const alone = () => operations.endTurn(...asked)
        if (fence.lane !== customerLane(who)) return alone()
        return driving.drive({ lanes: [fence.lane], steps: (tx) => endTurn(tx, fence, who, session, now) }, alone)
      },
      async renew(fences, clock, leaseMs) {
        const renewed = await renewing.ask({ fences, clock, leaseMs })
        return renewed === ODD ? operations.renew(fences, clock, leaseMs) : renewed
      },
    },
    async close() {
      await Promise.all([deliveries, items, sends, taking, renewing].map((one) => one.close()))
      await driving.close()
    },
  }
}
