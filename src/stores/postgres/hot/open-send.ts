import { newFence } from '../../operations/lanes/lanes.ts'
import { awaitedIfGoingOut, begunRow, openedSend, startingRow } from '../../operations/sends/open-send.ts'
import {
  FACTS,
  factsIn,
  type FactsRow,
  JOINED_FACTS,
  type NewRow,
  type SendFacts,
} from '../../operations/sends/sends.ts'
import type { BeginningSend, Fence, NewSend, OpenedSend } from '../../port/index.ts'
import { type HotStatement, ODD } from './hot.ts'
import type { ColumnType } from './lists.ts'
import { type LockedLane, lockLanes, stands } from './lock-lanes.ts'
import { listsOf, nullable, type RowOf, rowsOf } from './rows.ts'
import { WHO, whoOf } from './send-facts.ts'
import { keyLock } from '../key-lock.ts'
import type { HotTx } from '../transaction.ts'
import { AT_ONCE } from '../../rules/items.ts'

/** A send that is asked for; without a fence, by code that is no handler. */
interface Opening {
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

/** A send that is asked for. */
const ASKED_FOR = {
  ...WHO,
  key: 'text',
  lane: 'text',
  /** A transaction of the app's own may be recording a send under the same key. */
  of_app: 'boolean',
} as const

/** The facts of the send's customer, and what stands in the way of recording it; conditions as PostgreSQL has them. */
interface LookedUpRow extends FactsRow {
  readonly known: boolean
  readonly taken: boolean
  readonly busy: boolean
  readonly restored: boolean
}

const LOOK_UP = `
SELECT ${FACTS.text},
  (SELECT 1 FROM sends k WHERE k.key = who.key LIMIT 1) IS NOT NULL AS known,
  CASE WHEN who.of_app THEN NOT pg_try_advisory_xact_lock(${keyLock('who.key')}) ELSE false END AS taken,
  (SELECT 1 FROM lanes k WHERE k.key = who.lane LIMIT 1) IS NOT NULL AS busy,
  EXISTS (SELECT 1 FROM meta WHERE name = 'restored_upto') AS restored
FROM (SELECT * FROM ${rowsOf(ASKED_FOR)}) AS who ${JOINED_FACTS.text} ORDER BY who.n`

const SEND = {
  id: 'text',
  key: 'text',
  number: 'text',
  customer: 'text',
  lane: 'text',
  cause: 'text',
  slot: 'text',
  ref: nullable('text'),
  delivery: nullable('text'),
  state: 'text',
  via: 'text',
  body: 'text',
  fallback_key: nullable('text'),
  fallback_body: nullable('text'),
  attempts: 'bigint',
  first_attempt_at: nullable('bigint'),
  attempting_since: nullable('bigint'),
  next_at: 'bigint',
  message_id: nullable('text'),
  upstream_id: nullable('text'),
  code: nullable('text'),
  reason: nullable('text'),
  possibly_twice: 'bigint',
  diverged: 'bigint',
  created_at: 'bigint',
  settled_at: nullable('bigint'),
  asked: nullable('text'),
  due_at: nullable('bigint'),
  expires_at: nullable('bigint'),
  withheld: 'bigint',
  unless_muted: 'bigint',
  held_from: nullable('text'),
  awaited_until: nullable('bigint'),
  trace: nullable('text'),
} as const satisfies Record<keyof NewRow, ColumnType>

/** The row of a send, and what becomes of its lane. */
const RECORDED = {
  ...SEND,
  lane_is: 'text',
  /** NULL, like those that follow, if no lane is made. */
  lane_ready_at: nullable('bigint'),
  lane_since: nullable('bigint'),
  lane_owner: nullable('text'),
  lane_token: nullable('bigint'),
} as const

interface Recorded extends RowOf<typeof RECORDED> {
  /** `made`: it had none. `woken`: it has one, which may wait for something in it. `left`: the send does not go there yet. */
  readonly lane_is: 'made' | 'woken' | 'left'
}

const COLUMNS = Object.keys(SEND).join(', ')

/** Lanes that are there are locked; one that another has made meanwhile fails the insert, and the group is looked at anew. */
const RECORD = `
WITH given AS MATERIALIZED (SELECT * FROM ${rowsOf(RECORDED)}),
made AS (
  INSERT INTO lanes (key, kind, number, ready_at, since, owner, token)
  SELECT lane, 'send', number, lane_ready_at, lane_since, lane_owner, lane_token
  FROM given WHERE lane_is = 'made' ORDER BY lane),
woken AS (
  UPDATE lanes l SET ready_at = l.blocked_until FROM given g
  WHERE l.key = g.lane AND g.lane_is = 'woken' AND l.owner IS NULL)
INSERT INTO sends (seq, ${COLUMNS})
SELECT nextval('sends_seq'), ${COLUMNS} FROM (SELECT * FROM given ORDER BY n) AS g`
