import type { Steps, Tx } from '../../operations/steps.ts'
import type { HotTx } from '../transaction.ts'
import { createHot, type Grouping, type Hot, type HotStatement, type ODD } from './hot.ts'
import { lockLanes } from './lock-lanes.ts'

/**
 * An operation as it is written for one writer, for those that come less often. Beside others it is safe under the locks of
 * its lanes if all that it reads and writes belongs to whoever holds one of them: the lane's items, and in a customer's own
 * lane what is kept of the customer. It inserts no contents.
 */
export interface Driven {
  readonly lanes: readonly string[]
  readonly steps: (tx: Tx) => Steps<unknown>
}

export const driveAll: HotStatement<Driven, unknown> = {
  name: 'what is driven',
  keysOf: () => [],
  async run(tx, group, waited) {
    // A statement of its own: what the operations read is as whoever had the lanes before has left it.
    await lockLanes(
      tx,
      group.flatMap(({ lanes }) => lanes),
    )
    const answers: unknown[] = []
    for (const [index, { steps }] of group.entries()) {
      answers.push(await tx.drive(steps(txFor(tx, waited(index)))))
      if (tx.isFull()) break
    }
    return answers
  },
}

function txFor({ wake }: HotTx, waitedMs: number): Tx {
  return {
    wake,
    waitedMs,
    newerSchema: () => undefined,
    isLong: () => false,
    together: 1,
    nextPlace: noContents,
    takePlace: noContents,
  }
}

function noContents(): never {
  throw new Error('an operation that inserts contents is driven alone')
}

/** The customer's own lane: whoever holds it is the only one that writes the customer's session and conversations. */
export function isOwnLane(lane: string): boolean {
  return lane.split('/').length === 2
}

/** Operations of one queue, which go in their order. */
export interface Driving extends Pick<Hot<Driven, unknown>, 'close'> {
  /** Drives an operation beside others; what cannot be done so is done `alone`. */
  drive<T>(
    driven: Driven & { steps: (tx: Tx) => Steps<T | typeof ODD> },
    alone: () => Promise<T>,
    o?: { kept: true },
  ): Promise<T>
}

export function createDriving(grouping: Grouping): Driving {
  const { ask, close } = createHot(grouping, driveAll)
  return {
    drive: <T>(driven: Driven, alone: () => Promise<T>, o?: { kept: true }) => ask(driven, alone, o) as Promise<T>,
    close,
  }
}
