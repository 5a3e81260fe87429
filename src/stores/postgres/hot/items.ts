import { keepStep } from '../../operations/turns/conversations.ts'
import { keepOnce, letGo, settleItem } from '../../operations/turns/item-turns.ts'
import { claimReached } from '../../operations/sends/statuses.ts'
import type { Tx } from '../../operations/steps.ts'
import type { Operations } from '../../operations/store.ts'
import type { Claimed, Settlement, StartedItem } from '../../port/index.ts'
import { type Driving, isOwnLane } from './driven.ts'
import type { Grouping } from './hot.ts'
import { createKeeping } from './keeping.ts'
import { createTurns } from './settle-and-claim.ts'
import { settlingOf } from './settle-item.ts'
import { unlessFirst } from './talks.ts'

type Items = Pick<Operations, 'claimItems' | 'settleItem' | 'keepOnce' | 'keepStep' | 'claimReached'>

/** Attempts of items: what begins, what their handlers keep, and how they end. */
export function hotItems(
  operations: Operations,
  grouping: Grouping,
  { drive }: Driving,
): { readonly operations: Items; close(): Promise<void> } {
  const turns = createTurns(grouping)
  const keeping = createKeeping(grouping)
  return {
    operations: {
      claimItems(claim) {
        const unwanted = ({ held }: Claimed<StartedItem>) => letGo(operations, held, claim.now)
        return turns.claim(claim, () => operations.claimItems(claim), unwanted)
      },
      async settleItem(...asked) {
        const [fence, item, settlement, next] = asked
        // Results that are on their way need the fence, which may end with the settlement: so they go first.
        const kept = keeping.inLane(fence.lane)
        if (kept) await kept
        const driven = () => {
          const alone = () => operations.settleItem(...asked)
          if (writesOfCustomer(settlement) && !isOwnLane(fence.lane)) return alone()
          const settle = (tx: Tx) => settleItem(tx, fence, item, settlement, next)
          const steps = talks(settlement) ? (tx: Tx) => unlessFirst(settle(tx)) : settle
          return drive({ lanes: [fence.lane], steps }, alone, { kept: true })
        }
        const ordinary = settlingOf(...asked)
        return ordinary ? turns.settle(ordinary, driven) : driven()
      },
      keepOnce: (...asked) =>
        keeping.keep(
          asked[0],
          () => keepOnce(...asked),
          () => operations.keepOnce(...asked),
        ),
      keepStep(...asked) {
        const [fence] = asked
        const alone = () => operations.keepStep(...asked)
        return isOwnLane(fence.lane) ? keeping.keep(fence, () => unlessFirst(keepStep(...asked)), alone) : alone()
      },
      // A message's statuses are told of in one lane, so that no two processes ask for the same ones at once.
      claimReached: (...asked) =>
        drive({ lanes: [], steps: () => claimReached(...asked) }, () => operations.claimReached(...asked)),
    },
    async close() {
      await keeping.close()
      await turns.close()
    },
  }
}

function writesOfCustomer(settlement: Settlement): boolean {
  return (settlement.as === 'done' && settlement.session !== undefined) || talks(settlement)
}

function talks(settlement: Settlement): boolean {
  return 'conversations' in settlement && settlement.conversations !== undefined
}
