import type { Operations } from '../../operations/store.ts'
import type { Held, StartedItem } from '../../port/index.ts'

/**
 * Gives back items that a commit has begun for a caller who was refused before: others begin them at once, and not when
 * the lease is over.
 */
export function letGo({ settleItem }: Pick<Operations, 'settleItem'>, held: readonly Held<StartedItem>[], now: number) {
  for (const { fence, work } of held) {
    const { id, completedHandlers } = work
    // If that fails too, the lease ends by itself.
    void settleItem(fence, id, { as: 'released', completedHandlers }, { now, goOn: false }).catch(() => {})
  }
}
