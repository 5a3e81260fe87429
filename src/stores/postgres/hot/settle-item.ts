import {
  type Fence,
  type Next,
  numberOf,
  type Room,
  type Settled,
  type Settlement,
  type StartedItem,
} from '../../port/index.ts'
import { itemChange } from '../../rules/items.ts'
import type { HotTx } from '../transaction.ts'
import { isOwnLane } from './driven.ts'
import { type HotStatement, ODD } from './hot.ts'
import { listsOf } from './rows.ts'
import { startedFrom } from './started.ts'
import {
  type EndedRow,
  ENDING,
  ENDING_MORE,
  type EndingMore,
  SETTLE,
  SETTLE_MORE,
  SETTLE_PARTS,
} from './settle-item-statement.ts'

/** A settlement by which an item comes to rest. */
export interface Settling extends Omit<EndingMore, 'goes_on'> {
  readonly goOn: boolean
  readonly room: Room | undefined
}

/** Undefined if the settlement is none that the statement can write. */
export function settlingOf(fence: Fence, item: number, settlement: Settlement, next: Next): Settling | undefined {
  const { now, goOn, room } = next
  const change = itemChange(settlement, now)
  if (change.waits || ('conversations' in settlement && settlement.conversations)) return undefined
  const { state, reason, completedHandlers, failure } = change
  const session = settlement.as === 'done' ? settlement.session : undefined
  // The holder of a customer's own lane alone writes the session: so no two statements wait for its row.
  if (session && !isOwnLane(fence.lane)) return undefined
  return {
    ...fence,
    item,
    state,
    reason,
    completed: completedHandlers && JSON.stringify(completedHandlers),
    failure: failure && JSON.stringify(failure),
    now,
    writes_session: session !== undefined,
    session: session?.value,
    session_before: session?.before,
    session_read_at: session?.readAt,
    session_version: session?.version,
    session_expires: session?.expiresAt,
    goOn,
    room,
  }
}

/** Settles a group of items, and begins the next one in each of their lanes, or releases the lane. */
export const settleAll: HotStatement<Settling, Settled<StartedItem>> = {
  name: 'settleItem',
  keysOf: ({ lane }) => [lane],
  async run(tx, group) {
    // A lane that goes on needs room before it is known whether anything waits there.
    const going = group.map(({ goOn, room, lane }) => goOn && room?.take(numberOf(lane)) !== false)
    const rows = group.map((settling, index) => ({ ...settling, goes_on: going[index] === true }))
    let ended: ReadonlyMap<number, EndedRow> = new Map()
    try {
      ended = await settle(tx, rows)
    } finally {
      group.forEach(({ room, lane }, index) => {
        if (going[index] && ended.get(index)?.begins !== true) room?.give(numberOf(lane))
      })
    }
    const begun = [...ended.values()].filter(({ begins }) => begins)
    const works = await startedFrom(tx, begun)
    const nextOf = new Map(begun.map((row, index) => [row, works[index]]))
    return group.map((_, index) => answerOf(tx, ended.get(index), nextOf))
  },
}

/**
 * By their places, the settlements whose lanes were held. A lane that has changed since the statement began, by the renewal
 * of its lease as a rule, is locked by then: a second statement sees all that is in it.
 */
async function settle(tx: HotTx, rows: readonly EndingMore[]): Promise<ReadonlyMap<number, EndedRow>> {
  const ended = new Map<number, EndedRow>()
  for (let left = [...rows.keys()], turn = 1; left.length > 0 && turn <= 2; turn++) {
    const asked = left
    const given = asked.map((index) => rows[index] as EndingMore)
    left = []
    for (const row of await ask(tx, given)) {
      const index = asked[row.n - 1] as number
      ended.set(index, row)
      if (!row.seen) left.push(index)
    }
  }
  const bursts = [...ended].filter(([, row]) => row.planned && row.of_burst !== null)
  if (bursts.length > 0)
    await tx.rows(
      SETTLE_PARTS,
      listsOf(
        ENDING_MORE,
        bursts.map(([index]) => rows[index] as EndingMore),
      ),
    )
  return ended
}

function ask(tx: HotTx, rows: readonly EndingMore[]): Promise<readonly EndedRow[]> {
  return rows.every(isPlain) ? tx.rows(SETTLE, listsOf(ENDING, rows)) : tx.rows(SETTLE_MORE, listsOf(ENDING_MORE, rows))
}

function isPlain({ reason, completed, failure, writes_session }: EndingMore): boolean {
  return reason === undefined && completed === undefined && failure === undefined && !writes_session
}

function answerOf(
  tx: HotTx,
  row: EndedRow | undefined,
  nextOf: ReadonlyMap<EndedRow, StartedItem | undefined>,
): Settled<StartedItem> | typeof ODD {
  if (!row) return { held: false, next: undefined }
  if (!row.planned) return ODD
  if (row.leaves) tx.wake('items')
  return { held: true, next: nextOf.get(row) }
}
