import type { Operations } from '../../operations/store.ts'
import { acceptAll, acceptingOf } from './accept.ts'
import { claimAll } from './claim-items.ts'
import type { Accepted, Claimed, StartedItem } from '../../port/index.ts'
import { createHot, type Grouping, ODD } from './hot.ts'
import { letGo } from './let-go.ts'
import { renewAll } from './renew.ts'
import { hotSends } from './sends.ts'
import { settleAll, settlingOf } from './settle-item.ts'

type Ordinary =
  | 'accept'
  | 'claimItems'
  | 'settleItem'
  | 'openSend'
  | 'claimSends'
  | 'beginSend'
  | 'settleSend'
  | 'renew'

/** Operations that each delivery has, of which the ordinary case is a statement for a whole group. */
export function hotOperations(
  operations: Operations,
  grouping: Grouping,
): { readonly operations: Pick<Operations, Ordinary>; close(): Promise<void> } {
  const accepting = createHot(grouping, acceptAll)
  const claiming = createHot(grouping, claimAll)
  const settling = createHot(grouping, settleAll)
  const sends = hotSends(operations, grouping)
  const renewing = createHot(grouping, renewAll)
  return {
    operations: {
      async accept(delivery, o) {
        const unwanted = (late: Accepted | typeof ODD) => {
          if (late !== ODD && late.started) letGo(operations, [late.started], o?.begin?.now ?? 0)
        }
        const ordinary = acceptingOf(delivery, o)
        const accepted = ordinary ? await accepting.ask(ordinary, { ...waitOf(o), unwanted }) : ODD
        return accepted === ODD ? operations.accept(delivery, o) : accepted
      },
      async claimItems(claim) {
        const unwanted = (late: Claimed<StartedItem> | typeof ODD) => {
          if (late !== ODD) letGo(operations, late.held, claim.now)
        }
        const claimed = await claiming.ask(claim, { unwanted })
        return claimed === ODD ? operations.claimItems(claim) : claimed
      },
      async settleItem(...asked) {
        const ordinary = settlingOf(...asked)
        const settled = ordinary ? await settling.ask(ordinary, { kept: true }) : ODD
        return settled === ODD ? operations.settleItem(...asked) : settled
      },
      ...sends.operations,
      async renew(fences, clock, leaseMs) {
        const renewed = await renewing.ask({ fences, clock, leaseMs })
        if (renewed === ODD) await operations.renew(fences, clock, leaseMs)
      },
    },
    async close() {
      await Promise.all([accepting, claiming, settling, sends, renewing].map((one) => one.close()))
    },
  }
}

function waitOf({ waitMs }: { readonly waitMs?: number } = {}): { readonly waitMs?: number } {
  return waitMs === undefined ? {} : { waitMs }
}
