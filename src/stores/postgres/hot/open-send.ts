import { newFence } from '../../operations/lanes/lanes.ts'
import { factsIn, type SendFacts } from '../../operations/sends/send-facts.ts'
import type { NewRow } from '../../operations/sends/sends.ts'
import { awaitedIfGoingOut, begunRow, openedSend, startingRow } from '../../operations/sends/starting-send.ts'
import type { BeginningSend, Fence, NewSend, OpenedSend } from '../../port/index.ts'
import { AT_ONCE } from '../../rules/lanes.ts'
import type { HotTx } from '../transaction.ts'
import { type HotStatement, ODD } from './hot.ts'
import { type LockedLane, lockLanes, stands } from './lock-lanes.ts'
import { ASKED_FOR, LOOK_UP, type LookedUpRow, RECORD, type Recorded, RECORDED } from './open-send-statement.ts'
import { listsOf } from './rows.ts'
import { whoOf } from './send-facts.ts'

/** A send that is asked for; without a fence, by code that is no handler. */
export interface Opening {
  readonly send: NewSend
  readonly fence: Fence | undefined
  readonly begin: BeginningSend | undefined
}

/** A send that is to be recorded, and the fence of its lane if its first attempt begins. */
interface Planned {
  readonly row: NewRow
  readonly facts: SendFacts
  readonly opening: Opening
  readonly waitedMs: number
  readonly busy: boolean
  readonly taken: Fence | undefined
}

/** Records sends under new keys, and begins those that nothing keeps waiting. */
export const openSends: HotStatement<Opening, OpenedSend | undefined> = {
  name: 'openSend',
  keysOf: ({ send }) => [send.key],
  async run(tx, group, waited) {
    const locked = await lockLanes(
      tx,
      group.flatMap(({ send, fence }) => (fence ? [send.lane, fence.lane] : [send.lane])),
    )
    const lookedUp = await tx.rows<LookedUpRow>(
      LOOK_UP,
      listsOf(
        ASKED_FOR,
        group.map(({ send, fence }) => ({
          ...whoOf(send),
          key: send.key,
          lane: send.lane,
          of_app: fence === undefined,
        })),
      ),
    )
    const made = new Set<string>()
    const plans = group.map((opening, index) => {
      const plan = planOf(opening, lookedUp[index] as LookedUpRow, { locked, made, waitedMs: waited(index) })
      if (plan !== undefined && plan !== ODD && goes(plan)) made.add(opening.send.lane)
      return plan
    })
    const planned = plans.filter((plan) => plan !== undefined && plan !== ODD)
    try {
      await record(tx, planned)
    } catch (error) {
      for (const { taken, opening } of planned) if (taken) opening.begin?.room.give(opening.send.number)
      throw error
    }
    return plans.map((plan) =>
      plan === undefined || plan === ODD ? plan : openedSend(plan.row, plan.facts, 'new', plan.taken),
    )
  },
}

interface Circumstances {
  readonly locked: ReadonlyMap<string, LockedLane>
  /** Lanes that sends before it in the group make. */
  readonly made: ReadonlySet<string>
  readonly waitedMs: number
}

/** Undefined if the lane of the fence was lost. */
function planOf(
  opening: Opening,
  lookedUp: LookedUpRow,
  { locked, made, waitedMs }: Circumstances,
): Planned | typeof ODD | undefined {
  const { send, fence, begin } = opening
  if (fence && !stands(locked, fence)) return undefined
  const isThere = locked.has(send.lane)
  // A lane that was made since the locks were taken holds what this transaction may not have seen.
  if (lookedUp.known || lookedUp.taken || lookedUp.restored || lookedUp.busy !== isThere) return ODD
  const busy = isThere || made.has(send.lane)
  const facts = factsIn(lookedUp, send)
  const row = awaitedIfGoingOut(startingRow(send, facts, false), facts)
  const begun = begin && !busy ? begunRow(row, facts, begin) : undefined
  const taken = begin && begun ? newFence(send.lane, begin.owner) : undefined
  return { row: begun ?? row, facts, opening, waitedMs, busy, taken }
}

async function record(tx: HotTx, planned: readonly Planned[]): Promise<void> {
  if (planned.length === 0) return
  const rows = planned.map(recordedOf)
  await tx.rows(RECORD, listsOf(RECORDED, rows))
  if (planned.some(({ row }) => row.state === 'ready')) tx.wake('sends')
}

/** It is in its lane, and not only recorded. */
function goes({ row, taken }: Planned): boolean {
  return row.state === 'ready' || taken !== undefined
}

function recordedOf(plan: Planned): Recorded {
  const { row, opening, waitedMs, busy, taken } = plan
  const { send, begin } = opening
  return {
    ...row,
    lane_is: !goes(plan) ? 'left' : busy ? 'woken' : 'made',
    lane_ready_at: taken && begin ? begin.now + waitedMs + begin.leaseMs : AT_ONCE,
    lane_since: taken && begin ? begin.now : send.createdAt,
    lane_owner: taken?.owner,
    lane_token: taken?.token,
  }
}
