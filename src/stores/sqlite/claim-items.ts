import type { Claim, Claimed, Held, StartedItem } from '../port/index.ts'
import { beginItem, nextItemAt } from './begin-item.ts'
import type { Tx } from './group-commit.ts'
import { earliestLane, releaseLane, takeLanes } from './lanes.ts'
import { newerSchema } from './schema-version.ts'

/** Takes ready lanes and begins an item in each: see `Store.claimItems`. */
export function claimItems(tx: Tx, claim: Claim): Claimed<StartedItem> {
  const newer = newerSchema(tx.sql)
  if (newer !== undefined) return { held: [], nextAt: undefined, newerSchema: newer }
  const held: Held<StartedItem>[] = []
  for (const fence of takeLanes(tx, 'item', claim)) {
    const work = beginItem(tx, fence.lane, claim.now)
    if (work) held.push({ fence, work })
    else releaseLane(tx, fence.lane, nextItemAt(tx, fence.lane), claim.now)
  }
  return { held, nextAt: earliestLane(tx, 'item', claim, held) }
}
