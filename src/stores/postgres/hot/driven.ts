import type { Steps, Tx } from '../../operations/steps.ts'
import type { Fence, LaneKind } from '../../port/index.ts'
import { createHot, type Grouping, type Hot, type HotStatement, type ODD } from './hot.ts'
import type { HotTx } from '../transaction.ts'

/**
 * An operation as it is written for one writer, for those that come less often. Beside others it is safe under the locks of
 * its lanes if all that it reads and writes belongs to whoever holds one of them: the lane's items, and in a customer's own
 * lane what is kept of the customer. It inserts no contents.
 */
interface Driven {
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

export interface LockedLane {
  readonly key: string
  readonly kind: LaneKind
  readonly owner: string | null
  readonly token: number | null
}

/**
 * Locks lanes in the order of their keys, those that are there, with the lanes of the customers to whom sends go. It is a
 * statement of its own: the ones behind it see all that was put into these lanes, since whoever puts something into a lane
 * locks it too. A lane that is missing may be made by another meanwhile, and then its insert fails.
 */
export async function lockLanes(
  tx: HotTx,
  keys: readonly string[],
  sends: readonly string[] = [],
): Promise<ReadonlyMap<string, LockedLane>> {
  const rows = await tx.rows<LockedLane>(LOCK, [[...keys], [...sends]])
  return new Map(rows.map((lane) => [lane.key, lane]))
}

const LOCK = `
WITH named AS MATERIALIZED (
  SELECT key FROM unnest($1::text[]) AS given(key)
  UNION
  SELECT (SELECT number || '/' || customer FROM sends WHERE id = given.id) FROM unnest($2::text[]) AS given(id)
  ORDER BY 1)
SELECT l.* FROM named CROSS JOIN LATERAL (
  SELECT key, kind, owner, token FROM lanes WHERE lanes.key = named.key FOR UPDATE) AS l`

/** The fence still stands: nobody has taken its lane since. */
export function stands(locked: ReadonlyMap<string, LockedLane>, { lane, owner, token }: Fence): boolean {
  const found = locked.get(lane)
  return found?.owner === owner && found.token === token
}
