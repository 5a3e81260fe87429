import type { Operations } from '../../operations/store.ts'
import { acceptAll, acceptingOf } from './accept.ts'
import { createHot, type Grouping, ODD } from './hot.ts'
import { settleAll, settlingOf } from './settle-item.ts'

/** Operations that each delivery has, of which the ordinary case is a statement for a whole group. */
export function hotOperations(
  operations: Operations,
  grouping: Grouping,
): { readonly operations: Pick<Operations, 'accept' | 'settleItem'>; close(): Promise<void> } {
  const accepting = createHot(grouping, acceptAll)
  const settling = createHot(grouping, settleAll)
  return {
    operations: {
      async accept(delivery, o) {
        const ordinary = acceptingOf(delivery, o)
        const accepted = ordinary ? await accepting.ask(ordinary, waitOf(o)) : ODD
        return accepted === ODD ? operations.accept(delivery, o) : accepted
      },
      async settleItem(...asked) {
        const ordinary = settlingOf(...asked)
        const settled = ordinary ? await settling.ask(ordinary, { kept: true }) : ODD
        return settled === ODD ? operations.settleItem(...asked) : settled
      },
    },
    async close() {
      await Promise.all([accepting.close(), settling.close()])
    },
  }
}

function waitOf({ waitMs }: { readonly waitMs?: number } = {}): { readonly waitMs?: number } {
  return waitMs === undefined ? {} : { waitMs }
}
