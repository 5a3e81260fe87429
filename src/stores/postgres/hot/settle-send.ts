import { noteWait } from '../../operations/lanes/clock-rollback.ts'
import { dueSend, IN_LANE, type Row } from '../../operations/sends/sends.ts'
import type { DueSend, Fence, Next, SendSettlement, Settled } from '../../port/index.ts'
import { type HotStatement, ODD } from './hot.ts'
import { lockLanes, stands } from './lock-lanes.ts'
import { listsOf, nullable, rowsOf } from './rows.ts'
import { factsOf } from './send-facts.ts'
import type { HotTx } from '../transaction.ts'
import { readyAfterRelease } from '../../rules/items.ts'
import { sendChange } from '../../rules/send-settlement.ts'

/** A send that the service took. */
interface Settling {
  readonly fence: Fence
  readonly send: string
  readonly settlement: Extract<SendSettlement, { as: 'accepted' }>
  readonly next: Next
}

type Answer = Settled<DueSend>

/** A lane in which something waits. */
interface Going {
  readonly settling: Settling
  readonly head: Row
}

/** Settles sends that were accepted, and goes on with their lanes. */
export const settleSends: HotStatement<Settling, Answer> = {
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
