import { type Claim, type Claimed, numberOf, type Settled, type StartedItem } from '../../port/index.ts'
import { claimAll } from './claim-items.ts'
import { createHot, type Grouping, type HotStatement, ODD } from './hot.ts'
import { settleAll, type Settling } from './settle-item.ts'

type Asked = Settling | Claim
type Answer = Settled<StartedItem> | Claimed<StartedItem>

/** The turns of lanes: settles items, and claims others. */
export interface Turns {
  settle(settling: Settling, alone: () => Promise<Settled<StartedItem>>): Promise<Settled<StartedItem>>
  claim(
    claim: Claim,
    alone: () => Promise<Claimed<StartedItem>>,
    unwanted: (late: Claimed<StartedItem>) => void,
  ): Promise<Claimed<StartedItem>>
  close(): Promise<void>
}

export function createTurns(grouping: Grouping): Turns {
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
