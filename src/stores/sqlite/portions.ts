import type { Timers } from '../../base/clock.ts'
import type { GroupCommit } from './group-commit.ts'

/**
 * Runs portions of long work one after the other. Between two of them the file is free for as long as the first kept it,
 * so that other processes get their turn, and the event loop is free too.
 */
export function createPortions(o: {
  commit: Pick<GroupCommit, 'run'>
  timers: Timers
  monotonic: () => number
}): GroupCommit['run'] {
  let free: Promise<unknown> = Promise.resolve()
  return (operation) => {
    let begunAt = 0
    const portion = free.then(() =>
      o.commit.run((tx) => {
        begunAt = o.monotonic()
        return operation(tx)
      }),
    )
    const rest = () => new Promise<void>((resolve) => void o.timers.after(o.monotonic() - begunAt, resolve))
    free = portion.then(rest, () => {})
    return portion
  }
}
