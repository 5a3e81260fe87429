import type { Operations } from '../../operations/store.ts'
import type { Accepted } from '../../port/index.ts'
import { acceptAll, acceptingOf } from './accept.ts'
import { createHot, type Grouping, ODD } from './hot.ts'
import { letGo } from '../../operations/turns/let-go.ts'
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
      async accept(delivery, o) {
        const ordinary = acceptingOf(delivery, o)
        // Nothing is awaited before, so that it keeps its place: what comes behind it must not begin before it.
        if (!ordinary) return operations.accept(delivery, o)
        const { waitMs, begin } = o ?? {}
        const askedAt = grouping.monotonic()
        // A delivery that goes several ways waits no longer than one that goes one way.
        const wait = () =>
          waitMs === undefined ? {} : { waitMs: Math.max(0, waitMs - (grouping.monotonic() - askedAt)) }
        const unwanted = (late: Accepted | typeof ODD) => {
          if (late !== ODD && late.started) letGo(operations, [late.started], begin?.now ?? 0)
        }
        const accepted = await accepting.ask(ordinary, { ...wait(), unwanted })
        if (accepted !== ODD) return accepted
        const counted = await counting.ask(ordinary.delivery, wait())
        return counted === ODD ? operations.accept(delivery, { ...o, ...wait() }) : counted
      },
    },
    async close() {
      await accepting.close()
      await counting.close()
    },
  }
}
