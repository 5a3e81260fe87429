import { setTimeout } from 'node:timers/promises'
import { monotonic } from '../../base/clock.ts'
import type { GroupCommit } from './group-commit.ts'

/**
 * Runs portions of long work one after the other. Between two of them the file is free for as long as the first kept it,
 * so that other processes get their turn, and the event loop is free too.
 */
export function createPortions(commit: Pick<GroupCommit, 'run'>): GroupCommit['run'] {
  let free: Promise<unknown> = Promise.resolve()
  return (operation) => {
    let begunAt = 0
    const portion = free.then(() =>
      commit.run((tx) => {
        begunAt = monotonic()
        return operation(tx)
      }),
    )
    const rest = () => setTimeout(monotonic() - begunAt)
    free = portion.then(rest, () => {})
    return portion
  }
}
