import type { Operations } from '../../operations/store.ts'
import { acceptAll, acceptingOf } from './accept.ts'
import { createHot, type Grouping } from './hot.ts'
import { letGo } from '../../operations/turns/item-turns.ts'
import { countRepeats } from './repeats.ts'

type Deliveries = Pick<Operations, 'accept'>

/** Deliveries that are new, and those that come again. */
export function hotDeliveries(
  operations: Operations,
  grouping: Grouping,
): { readonly operations: Deliveries; close(): Promise<void> } {
  const accepting = createHot(grouping, acceptAll)
  const counting = createHot(grouping, countRepeats)
  return {
    operations: {
      accept(delivery, o) {
        const ordinary = acceptingOf(delivery, o)
        // Nothing is awaited before, so that it keeps its place: what comes behind it must not begin before it.
        if (!ordinary) return operations.accept(delivery, o)
        const { waitMs, begin } = o ?? {}
        const askedAt = grouping.monotonic()
        // A delivery that goes several ways waits no longer than one that goes one way.
        const wait = () =>
          waitMs === undefined ? {} : { waitMs: Math.max(0, waitMs - (grouping.monotonic() - askedAt)) }
        const alone = () => operations.accept(delivery, { ...o, ...wait() })
        return accepting.ask(ordinary, () => counting.ask(ordinary.delivery, alone, wait()), {
          ...wait(),
          unwanted: ({ started }) => started && letGo(operations, [started], begin?.now ?? 0),
        })
      },
    },
    async close() {
      await accepting.close()
      await counting.close()
    },
  }
}
