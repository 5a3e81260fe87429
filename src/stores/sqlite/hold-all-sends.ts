import { monotonic } from '../../base/clock.ts'
import { holdSends, isHolding } from '../operations/sends/restored.ts'
import type { Connection } from './connection.ts'
import { type Operation, transact } from './transaction.ts'

/** The most sends in one portion, which ends earlier if it takes long. */
const AT_ONCE = 250

/**
 * Holds all sends of a database that was brought back from a backup, before any of this process can go out. It works in
 * portions, since another process may be serving; between two of them the file is free for as long as the first kept it.
 *
 * @param o.isNoticed asked while nobody else writes.
 * @returns the answer of `isNoticed`.
 */
export function holdAllSends(
  connection: Connection,
  { asked, isNoticed }: { asked: boolean; isNoticed: () => boolean },
): boolean {
  let keptMs = 0
  const portion = <T>(operation: Operation<T>): T => {
    const begunAt = monotonic()
    const [result] = transact(connection, [operation], () => {})
    keptMs = monotonic() - begunAt
    return result as T
  }
  const first = portion((tx) => {
    const noticed = isNoticed()
    const holds = asked || noticed || tx.drive(isHolding())
    return { noticed, next: holds ? tx.drive(holdSends(tx, AT_ONCE)) : undefined }
  })
  for (let { next } = first; next; ) {
    const after = next
    pause(keptMs)
    next = portion((tx) => tx.drive(holdSends(tx, AT_ONCE, after)))
  }
  return first.noticed
}

/** Blocks, since nothing else is to be done before the opening has ended. */
function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}
