import { noteWait } from '../../operations/lanes/clock-rollback.ts'
import { customerLane, newFence } from '../../operations/lanes/lanes.ts'
import { nextLaneAt } from '../../operations/lanes/take-lanes.ts'
import { beginSend, mayClaimSends } from '../../operations/sends/claim-sends.ts'
import { awaitedIfGoingOut, begunRow, openedSend, startingRow } from '../../operations/sends/open-send.ts'
import {
  dueSend,
  FACTS,
  factsIn,
  type FactsRow,
  IN_LANE,
  JOINED_FACTS,
  type NewRow,
  type Row,
  type SendFacts,
} from '../../operations/sends/sends.ts'
import type { Operations } from '../../operations/store.ts'
import { letSendGo } from '../../operations/turns/item-turns.ts'
import type {
  BeginningSend,
  Claim,
  Claimed,
  CustomerOfNumber,
  DueSend,
  Fence,
  NewSend,
  Next,
  OpenedSend,
  SendSettlement,
  Settled,
} from '../../port/index.ts'
import { type Driving, type LockedLane, lockLanes, stands } from './driven.ts'
import { createHot, type Grouping, type HotStatement, ODD } from './hot.ts'
import { type ColumnType, listsOf, nullable, type RowOf, rowsOf } from './rows.ts'
import { keyLock } from '../key-lock.ts'
import type { HotTx } from '../transaction.ts'
import { AT_ONCE, readyAfterRelease } from '../../rules/items.ts'
import { sendChange } from '../../rules/send-settlement.ts'

/** A customer of a number, as the columns that facts are joined to. */
const WHO = { number: 'text', customer: 'text', own_lane: 'text' } as const

function whoOf({ number, customer }: CustomerOfNumber): RowOf<typeof WHO> {
  return { number, customer, own_lane: customerLane({ number, customer }) }
}

async function factsOf(tx: HotTx, customers: readonly CustomerOfNumber[]): Promise<readonly SendFacts[]> {
  if (customers.length === 0) return []
  const rows = await tx.rows<FactsRow & { n: number }>(FACTS_OF, listsOf(WHO, customers.map(whoOf)))
  return rows.map((row) => factsIn(row, customers[row.n - 1] as CustomerOfNumber))
}

const FACTS_OF = `
SELECT who.n, ${FACTS.text} FROM (SELECT * FROM ${rowsOf(WHO)}) AS who ${JOINED_FACTS.text} ORDER BY who.n`

/**
 * Answers claims that find no send. A send begins with its recording, and lanes go on by themselves, so that most claims
 * are the looks of a process each second, or of one that was woken for what another has begun meanwhile. A claim that
 * would find one is odd, and is made alone.
 */
const lookForSends: HotStatement<Claim, Claimed<DueSend>> = {
  name: 'claimSends',
  keysOf: () => [],
  async run(tx, group) {
    const answers: (Claimed<DueSend> | typeof ODD)[] = []
    for (const claim of group) {
      const isIdle = !(await tx.drive(mayClaimSends(claim)))
      answers.push(isIdle ? { held: [], nextAt: await tx.drive(nextLaneAt('send', claim, [])) } : ODD)
    }
    return answers
  },
}

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
const openSends: HotStatement<Opening, OpenedSend | undefined> = {
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

interface Settling {
  readonly fence: Fence
  readonly send: string
  readonly settlement: Extract<SendSettlement, { as: 'accepted' }>
  readonly next: Next
}

type Answer = Settled<DueSend>

interface Going {
  readonly settling: Settling
  readonly head: Row
}

const settleSends: HotStatement<Settling, Answer> = {
  name: 'settleSend',
  keysOf: ({ fence }) => [fence.lane],
  async run(tx, group) {
    const locked = await lockLanes(
      tx,
      group.map(({ fence }) => fence.lane),
      group.map(({ send }) => send),
    )
    const standing = group.filter(({ fence }) => stands(locked, fence) && locked.get(fence.lane)?.kind === 'send')
    const written = await accept(tx, standing)
    const nexts = await goOn(
      tx,
      standing.flatMap((settling) => {
        const head = written.get(settling)
        return head ? [{ settling, head }] : []
      }),
    )
    return group.map((settling) => {
      if (!stands(locked, settling.fence)) return { held: false, next: undefined }
      return written.has(settling) ? { held: true, next: nexts.get(settling) } : ODD
    })
  },
}

/** Those that are written, each with the first send that waits in its lane. */
async function accept(tx: HotTx, standing: readonly Settling[]): Promise<ReadonlyMap<Settling, Row | undefined>> {
  const written = new Map<Settling, Row | undefined>()
  if (standing.length === 0) return written
  for (const row of await tx.rows<AcceptedRow>(ACCEPT, listsOf(ACCEPTED, standing.map(acceptedOf))))
    written.set(standing[row.settled - 1] as Settling, row.id === null ? undefined : row)
  return written
}

function acceptedOf({ fence, send, settlement, next }: Settling) {
  const change = sendChange(settlement, next.now) as Extract<ReturnType<typeof sendChange>, { to: 'accepted' }>
  return {
    send_id: send,
    of_lane: fence.lane,
    message: change.messageId,
    upstream: change.upstreamId,
    twice: change.possiblyTwice ? 1 : 0,
    ended_at: change.settledAt,
    answered_at: settlement.at,
  }
}

/** Begins what is ready in lanes, as far as there is room, and releases the others. No throttle stands in their way. */
async function goOn(tx: HotTx, going: readonly Going[]): Promise<ReadonlyMap<Settling, DueSend>> {
  const begun = going.filter(
    ({ settling: { next }, head }) => next.goOn && head.next_at <= next.now && next.room?.take(head.number) !== false,
  )
  try {
    await release(
      tx,
      going.filter((one) => !begun.includes(one)),
    )
    const facts = await factsOf(
      tx,
      begun.map(({ head }) => head),
    )
    return new Map(
      begun.map(({ settling, head }, index) => [settling, dueSend(head, facts[index] as (typeof facts)[number])]),
    )
  } catch (error) {
    for (const { settling, head } of begun) settling.next.room?.give(head.number)
    throw error
  }
}

async function release(tx: HotTx, waiting: readonly Going[]): Promise<void> {
  if (waiting.length === 0) return
  const rows = waiting.map(({ settling: { fence, next }, head }) => ({
    lane: fence.lane,
    released_at: next.now,
    lane_ready_at: readyAfterRelease({ nextAt: head.next_at, blockedUntil: 0 }, next.now),
  }))
  await tx.rows(RELEASE, listsOf(RELEASED, rows))
  tx.wake('sends')
  for (const { lane_ready_at, released_at } of rows)
    if (lane_ready_at !== undefined && lane_ready_at > released_at) await tx.drive(noteWait(released_at))
}

/** A send that was accepted. Its names differ from those of the tables that it is joined to. */
const ACCEPTED = {
  send_id: 'text',
  of_lane: 'text',
  message: 'text',
  upstream: nullable('text'),
  twice: 'bigint',
  ended_at: 'bigint',
  /** Service time of the answer. */
  answered_at: nullable('bigint'),
} as const

/**
 * The first send that waits in the lane of a settled one; all its members are null if none waits. `settled` is the
 * place of the settled one in its group, from 1.
 */
type AcceptedRow = { readonly settled: number } & (Row | { readonly id: null })

/**
 * Writes the settlements, and ends the lanes in which nothing waits. Sends whose statuses came before their answers are
 * left out, and so are those of numbers with a throttle, which the answer may change.
 */
const ACCEPT = `
WITH settled AS (
  UPDATE sends SET state = 'accepted', message_id = g.message, upstream_id = g.upstream, possibly_twice = g.twice,
    code = NULL, reason = NULL, settled_at = g.ended_at
  FROM ${rowsOf(ACCEPTED)}
  WHERE sends.id = g.send_id
    AND NOT EXISTS (SELECT 1 FROM stray_statuses WHERE stray_statuses.message IN (g.message, g.upstream))
    AND NOT EXISTS (SELECT 1 FROM throttles WHERE throttles.number = sends.number)
  RETURNING g.n, g.send_id, g.of_lane, g.answered_at, sends.number, sends.customer),
marked AS (
  UPDATE lanes SET sent_at = greatest(coalesce(lanes.sent_at, 0), m.at)
  FROM (
    SELECT number || '/' || customer AS key, max(answered_at) AS at FROM settled
    WHERE answered_at IS NOT NULL GROUP BY 1) AS m
  WHERE lanes.key = m.key AND lanes.last_at IS NOT NULL),
heads AS MATERIALIZED (
  SELECT settled.n AS behind, head.* FROM settled CROSS JOIN LATERAL (
    SELECT * FROM sends WHERE lane = settled.of_lane AND id <> settled.send_id AND ${IN_LANE.text}
    ORDER BY seq LIMIT 1) AS head),
ended AS (
  DELETE FROM lanes USING settled
  WHERE lanes.key = settled.of_lane AND settled.n NOT IN (SELECT behind FROM heads))
SELECT settled.n AS settled, heads.* FROM settled LEFT JOIN heads ON heads.behind = settled.n`

const RELEASED = { lane: 'text', released_at: 'bigint', lane_ready_at: nullable('bigint') } as const

const RELEASE = `
UPDATE lanes SET owner = NULL, token = NULL, ready_at = g.lane_ready_at, since = g.released_at, blocked_until = 0
FROM ${rowsOf(RELEASED)} WHERE lanes.key = g.lane`

type Sends = Pick<Operations, 'openSend' | 'claimSends' | 'beginSend' | 'settleSend'>

export function hotSends(
  operations: Operations,
  grouping: Grouping,
  { drive }: Driving,
): { readonly operations: Sends; close(): Promise<void> } {
  const opening = createHot(grouping, openSends)
  const looking = createHot(grouping, lookForSends)
  const settling = createHot(grouping, settleSends)
  return {
    operations: {
      openSend: (send, o) =>
        opening.ask({ send, fence: o?.fence, begin: o?.begin }, () => operations.openSend(send, o), {
          unwanted: (late) => late?.begun && letSendGo(operations, late.begun, o?.begin?.now ?? send.createdAt),
        }),
      claimSends: (claim) => looking.ask(claim, () => operations.claimSends(claim)),
      beginSend(...asked) {
        const [{ lane }] = asked
        return drive({ lanes: [lane], steps: () => beginSend(...asked) }, () => operations.beginSend(...asked))
      },
      settleSend(...asked) {
        const [fence, send, settlement, next, throttle] = asked
        const alone = () => operations.settleSend(...asked)
        // A send that was accepted is no failure, so nobody need know whether somebody waits for it.
        if (settlement.as !== 'accepted' || throttle !== undefined) return alone()
        return settling.ask({ fence, send, settlement, next }, alone, { kept: true })
      },
    },
    async close() {
      await Promise.all([opening, looking, settling].map((one) => one.close()))
    },
  }
}
