import type { Clock } from '../base/clock.ts'
import type { NewItem, Settlement, StartedItem } from '../stores/port/index.ts'

interface Blocking {
  readonly item: StartedItem
  /** Wall time of its next attempt. */
  readonly until: number
  isSaid: boolean
}

/** Says once for each item whose back-off blocks its customer's lane that others wait behind it. */
export function reportBlocking(clock: Pick<Clock, 'wall'>, say: (item: StartedItem, behind: number) => void) {
  const blocking = new Map<string, Blocking>()

  const sayOnce = (one: Blocking, behind: number) => {
    if (!one.isSaid) say(one.item, behind)
    one.isSaid = true
  }

  return {
    settled(item: StartedItem, settlement: Settlement, behind: number): void {
      const lane = laneOf(item)
      const before = blocking.get(lane)
      blocking.delete(lane)
      if (settlement.as !== 'retry' || !settlement.blocksLane) return
      const one = { item, until: settlement.at, isSaid: before?.item.id === item.id && before.isSaid }
      blocking.set(lane, one)
      if (behind > 0) sayOnce(one, behind)
    },
    /** Items have come: whoever wrote one would otherwise hear of the reason only when the next attempt has failed. */
    came(items: readonly NewItem[]): void {
      for (const item of items) {
        const one = item.state === 'stored' ? blocking.get(laneOf(item)) : undefined
        if (one !== undefined && clock.wall() < one.until) sayOnce(one, 1)
      }
    },
  }
}

/** Items of one kind about one customer on one number wait in one lane. */
function laneOf({ number, customer, kind }: Pick<NewItem, 'number' | 'customer' | 'kind'>): string {
  return `${kind} ${number} ${customer ?? ''}`
}
