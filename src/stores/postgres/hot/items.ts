import { claimReached } from '../../operations/sends/statuses.ts'
import type { Steps, Tx } from '../../operations/steps.ts'
import type { Operations } from '../../operations/store.ts'
import { keepStep } from '../../operations/turns/conversations.ts'
import { keepOnce, letGo, settleItem } from '../../operations/turns/item-turns.ts'
import {
  type Claim,
  type Claimed,
  type Fence,
  numberOf,
  type Settled,
  type Settlement,
  type StartedItem,
} from '../../port/index.ts'
import { claimAll } from './claim-items.ts'
import { createDriving, type Driving, isOwnLane } from './driven.ts'
import { createHot, type Grouping, type HotStatement, ODD } from './hot.ts'
import { settleAll, type Settling, settlingOf } from './settle-item.ts'
import { unlessFirst } from './started.ts'

type Items = Pick<Operations, 'claimItems' | 'settleItem' | 'keepOnce' | 'keepStep' | 'claimReached'>

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

/** Results of effects that have run, which are on their way into the tables. */
interface Keeping {
  keep<T>(fence: Fence, steps: () => Steps<T | typeof ODD>, alone: () => Promise<T>): Promise<T>
  /** Resolves once all that was to be kept in the lane is; undefined if that is all. A settlement goes behind them. */
  inLane(lane: string): Promise<unknown> | undefined
  close(): Promise<void>
}

function createKeeping(grouping: Grouping): Keeping {
  const { drive, close } = createDriving(grouping)
  const underWay = new Map<string, Promise<unknown>>()
  return {
    keep({ lane }, steps, alone) {
      const kept = drive({ lanes: [lane], steps }, alone, { kept: true })
      const all = Promise.allSettled([underWay.get(lane), kept]).then(() => {
        if (underWay.get(lane) === all) underWay.delete(lane)
      })
      underWay.set(lane, all)
      return kept
    },
    inLane: (lane) => underWay.get(lane),
    async close() {
      await close()
      // Settlements that go behind them are asked for by then.
      await Promise.all(underWay.values())
    },
  }
}

type Asked = Settling | Claim
type Answer = Settled<StartedItem> | Claimed<StartedItem>

interface Turns {
  settle(settling: Settling, alone: () => Promise<Settled<StartedItem>>): Promise<Settled<StartedItem>>
  claim(
    claim: Claim,
    alone: () => Promise<Claimed<StartedItem>>,
    unwanted: (late: Claimed<StartedItem>) => void,
  ): Promise<Claimed<StartedItem>>
  close(): Promise<void>
}

function createTurns(grouping: Grouping): Turns {
  const { ask, close } = createHot(grouping, settleAndClaim)
  return {
    settle: (settling, alone) => ask(settling, alone, { kept: true }) as ReturnType<typeof alone>,
    claim: (claim, alone, unwanted) =>
      ask(claim, alone, { unwanted: unwanted as (late: Answer) => void }) as ReturnType<typeof alone>,
    close,
  }
}

/**
 * Settlements, and claims behind them in their transaction. An attempt that ends gives its slot back, and its settlement
 * takes it again if the lane goes on: a claim that went first would take that slot for another lane, and one that went
 * beside would mostly find none.
 */
const settleAndClaim: HotStatement<Asked, Answer> = {
  name: 'settleItem and claimItems',
  keysOf: (asked) => (isSettling(asked) ? settleAll.keysOf(asked) : claimAll.keysOf(asked)),
  async run(tx, group, waited) {
    const settlings = group.filter(isSettling)
    const claims = group.filter((asked): asked is Claim => !isSettling(asked))
    const settled = settlings.length > 0 ? await settleAll.run(tx, settlings, waited) : []
    const claimed = await claimAll
      .run(tx, claims, (index) => waited(group.indexOf(claims[index] as Claim)))
      .catch((error: unknown) => {
        giveBackRoom(settlings, settled)
        throw error
      })
    const [ofSettlings, ofClaims] = [settled.values(), claimed.values()]
    return group.map((asked) => (isSettling(asked) ? ofSettlings : ofClaims).next().value as Answer | typeof ODD)
  },
}

/** The settlements run again, and take room again for the lanes that go on. */
function giveBackRoom(settlings: readonly Settling[], settled: Awaited<ReturnType<typeof settleAll.run>>): void {
  settled.forEach((answer, index) => {
    const { room, lane } = settlings[index] as Settling
    if (answer !== ODD && answer.next !== undefined) room?.give(numberOf(lane))
  })
}

function isSettling(asked: Asked): asked is Settling {
  return 'item' in asked
}
