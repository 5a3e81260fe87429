import type { Claim, Claimed, Held, StartedItem } from '../port/index.ts'
import { beginItem, nextItemAt } from './begin-item.ts'
import type { Tx } from './group-commit.ts'
import { earliestLane, releaseLane, takeLanes } from './lanes.ts'
import { newerSchema } from './schema-version.ts'

/** A suspect that was left is looked at again after this time. */
const SUSPECT_WAITS_MS = 1_000

/** Takes ready lanes and begins an item in each: see `Store.claimItems`. */
export function claimItems(tx: Tx, claim: Claim): Claimed<StartedItem> {
  const newer = newerSchema(tx.sql)
  if (newer !== undefined) return { held: [], nextAt: undefined, newerSchema: newer }
  const held: Held<StartedItem>[] = []
  let { suspects = true } = claim
  for (const { fence, again } of takeLanes(tx, 'item', claim)) {
    const work = beginItem(tx, fence.lane, claim.now, { suspects, again })
    if (work === 'suspect') {
      // A suspect blocks its lane meanwhile, so that it is still the next item of the lane.
      const later = claim.now + SUSPECT_WAITS_MS
      releaseLane(tx, fence.lane, later, claim.now, later)
    } else if (work) {
      held.push({ fence, work })
      if (work.suspect && claim.suspects !== undefined) suspects = false
    } else releaseLane(tx, fence.lane, nextItemAt(tx, fence.lane), claim.now)
  }
  return { held, nextAt: earliestLane(tx, 'item', claim, held) }
}
