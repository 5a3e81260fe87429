import type { Operations } from '../../operations/store.ts'
import { hotDeliveries } from './deliveries.ts'
import { createDriving } from './driven.ts'
import { createHot, type Grouping } from './hot.ts'
import { hotItems } from './items.ts'
import { renewAll } from './renew.ts'
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
