import type { DueSend, Held, StartedItem, Store } from '../../port/index.ts'

/*
 * If a commit has begun work for a caller who was refused before, the work is given back: others begin it at once, and
 * not when the lease is over. If that fails too, the lease ends by itself.
 */

export function letGo({ settleItem }: Pick<Store, 'settleItem'>, held: readonly Held<StartedItem>[], now: number) {
  for (const { fence, work } of held) {
    const { id, completedHandlers } = work
    void settleItem(fence, id, { as: 'released', completedHandlers }, { now, goOn: false }).catch(() => {})
  }
}

/** No byte of it has left. */
export function letSendGo(
  { settleSend }: Pick<Store, 'settleSend'>,
  { fence, work }: Held<DueSend>,
  now: number,
): void {
  const unused = { as: 'held', code: undefined, reason: 'nobody waited for it any more' } as const
  void settleSend(fence, work.send.id, unused, { now, goOn: false }).catch(() => {})
}

/** Claimed, and not begun. */
export function letSendsGo(
  { settleSend }: Pick<Store, 'settleSend'>,
  held: readonly Held<DueSend>[],
  now: number,
): void {
  for (const { fence, work } of held)
    void settleSend(fence, work.send.id, { as: 'gone' }, { now, goOn: false }).catch(() => {})
}
