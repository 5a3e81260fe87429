import {
  type Claim,
  type Claimed,
  type Fence,
  type Held,
  type Next,
  numberOf,
  type Settled,
  type Settlement,
  type StartedItem,
} from '../../port/index.ts'
import { isSuspect, type ItemAtRest, itemChange, type ItemWaiting } from '../../rules/items.ts'
import { AT_ONCE, canGoOn } from '../../rules/lanes.ts'
import { somePending } from '../inbox/pending.ts'
import { bodyAt } from '../items/bodies.ts'
import { sealedBurst } from '../items/bursts.ts'
import { writeSession } from '../items/customers.ts'
import { noteWait } from '../lanes/clock-rollback.ts'
import { holdsLane, nextItemAt, releaseLane, stands, wakeLane } from '../lanes/lanes.ts'
import { nextLaneAt, takeLanes } from '../lanes/take-lanes.ts'
import { all, one, run, sql, type Steps, type Tx } from '../steps.ts'
import { makeItemsOfDueTimers } from './due-timers.ts'
import { writeConversations } from './conversations.ts'
import { type ItemRow, rowOf, started } from './item-row.ts'

/** Something is pending: see `Claimed.pending`. */
export const PENDING = { held: [], nextAt: AT_ONCE, pending: true } as const

/** Takes ready lanes and begins an item in each: see `Store.claimItems`. */
export function* claimItems(tx: Tx, claim: Claim): Steps<Claimed<StartedItem>> {
  const newer = tx.newerSchema()
  if (newer !== undefined) return { held: [], nextAt: undefined, newerSchema: newer }
  if (claim.unlessPending && (yield* somePending())) return PENDING
  yield* makeItemsOfDueTimers(tx, claim.serviceNow ?? claim.now, claim.now)
  const held: Held<StartedItem>[] = []
  const { taken, more } = yield* takeLanes(tx, 'item', claim)
  for (const { fence, again } of taken) {
    const work = yield* beginItem(tx, fence.lane, claim.now, again)
    if (work !== undefined) {
      held.push({ fence, work })
      continue
    }
    claim.room?.give(numberOf(fence.lane))
    yield* releaseLane(fence.lane, yield* nextItemAt(fence.lane, claim.now), claim.now)
  }
  return { held, nextAt: more ? AT_ONCE : yield* nextLaneAt('item', claim, held) }
}

/** Settles an item and goes on with its lane: see `Store.settleItem`. */
export function* settleItem(
  tx: Tx,
  fence: Fence,
  item: number,
  settlement: Settlement,
  next: Next,
): Steps<Settled<StartedItem>> {
  const { now } = next
  if (settlement.as === 'done' && settlement.session) {
    if (!(yield* holdsLane(fence))) return { held: false, next: undefined }
    if (!(yield* writeSession(item, settlement.session))) return { held: true, next: undefined, sessionChanged: true }
  }
  const change = itemChange(settlement, now)
  const settled = change.waits ? yield* keepWaiting(item, fence, change) : yield* putAtRest(item, fence, change)
  if (settled === 0) return { held: false, next: undefined }
  if (change.waits && change.readyAt > now) yield* noteWait(now)
  if ('conversations' in settlement && settlement.conversations)
    yield* writeConversations(item, settlement.conversations, now)
  if (!change.waits && (yield* becomesIdle(fence.lane, settlement.as === 'done' ? item : undefined, now)))
    return { held: true, next: undefined }
  const blockedUntil = change.waits ? change.blocksLaneUntil : 0
  const going = { held: true, next: yield* nextOrRelease(tx, fence.lane, blockedUntil, next) }
  return blockedUntil > now ? { ...going, behind: yield* waitingBehind(fence.lane, item) } : going
}

function* waitingBehind(lane: string, item: number): Steps<number> {
  const row = yield* one<{ n: number }>(sql`
    SELECT count(*) AS n FROM items WHERE lane = ${lane} AND settled_at IS NULL AND id <> ${item} AND (burst IS NULL OR burst <> ${item})`)
  return row?.n ?? 0
}

function* keepWaiting(item: number, fence: Fence, change: ItemWaiting): Steps<number> {
  const { state, reason, readyAt, completedHandlers, attemptsTakenBack, failure } = change
  return yield* run(sql`
    UPDATE items SET state = ${state}, reason = coalesce(${reason}, reason), ready_at = ${readyAt},
      completed_handlers = ${JSON.stringify(completedHandlers)}, attempts = attempts - ${attemptsTakenBack},
      failure = coalesce(${failure && JSON.stringify(failure)}, failure)
    WHERE (id = ${item} OR burst = ${item}) AND ${stands(fence)}`)
}

function* putAtRest(item: number, fence: Fence, change: ItemAtRest): Steps<number> {
  const { state, reason, settledAt, completedHandlers, failure } = change
  if (state === 'done' && (yield* putDone(item, fence, settledAt))) return 1
  const completed = completedHandlers && JSON.stringify(completedHandlers)
  return yield* run(sql`
    UPDATE items SET state = ${state}, reason = ${reason}, settled_at = ${settledAt},
      completed_handlers = coalesce(${completed}, completed_handlers),
      failure = CASE WHEN text(${reason}) IS NULL THEN NULL ELSE coalesce(${failure && JSON.stringify(failure)}, failure) END
    WHERE (id = ${item} OR burst = ${item}) AND ${stands(fence)}`)
}

/**
 * The ordinary end, of an item that is of no burst: SQLite puts rows that it finds in two ways into a table of their own.
 * The statement is written out, since composing one of two costs more than the rest of its making.
 */
function* putDone(item: number, { lane, owner, token }: Fence, settledAt: number): Steps<boolean> {
  const done = yield* run(sql`
    UPDATE items SET state = 'done', reason = NULL, settled_at = ${settledAt}, failure = NULL
    WHERE id = ${item} AND burst IS NULL AND EXISTS (
      SELECT 1 FROM lanes WHERE key = ${lane} AND owner = ${owner} AND token = ${token})`)
  return done > 0
}

/**
 * Releases the lane of a customer whose window is known, if nothing waits in it: the ordinary end of an item. The window
 * keeps the latest message that was handled (`done`), by which a later one is late: see the rule `isLate`.
 */
function* becomesIdle(lane: string, done: number | undefined, now: number): Steps<boolean> {
  const idle = yield* run(sql`
    UPDATE lanes SET owner = NULL, token = NULL, ready_at = NULL, since = ${now}, blocked_until = 0,
      handled_at = coalesce((
        SELECT greatest(coalesce(lanes.handled_at, i.at), i.at) FROM items i WHERE i.id = ${done} AND i.kind = 'message'
      ), handled_at)
    WHERE key = ${lane} AND last_at IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM items WHERE lane = ${lane} AND settled_at IS NULL)`)
  if (idle > 0) return true
  if (done !== undefined)
    yield* run(sql`
      UPDATE lanes SET handled_at = coalesce((
        SELECT greatest(coalesce(lanes.handled_at, i.at), i.at) FROM items i WHERE i.id = ${done} AND i.kind = 'message'
      ), handled_at)
      WHERE key = ${lane} AND last_at IS NOT NULL`)
  return false
}

/** Begins the lane's next item, or releases the lane. */
function* nextOrRelease(
  tx: Tx,
  lane: string,
  blockedUntil: number,
  { now, goOn, room }: Next,
): Steps<StartedItem | undefined> {
  // The time of the next item costs less to read than the item, and most lanes have none.
  const nextAt = yield* nextItemAt(lane, now)
  const begins = goOn && canGoOn({ nextAt, blockedUntil }, now) && tx.newerSchema() === undefined
  if (begins && room?.take(numberOf(lane)) !== false) {
    const next = yield* beginItem(tx, lane, now)
    if (next !== undefined) return next
    room?.give(numberOf(lane))
  }
  // A lane that is released with work in it stands behind those that wait, however long its items have waited.
  yield* releaseLane(lane, nextAt, now, blockedUntil)
  if (nextAt !== undefined) tx.wake('items')
  return undefined
}

/**
 * Begins the lane's next item: of what is ready the oldest payload time, then the order of arrival. An item found
 * running belonged to a process that is gone: it begins again, with one attempt more on its count.
 *
 * @param again an item that has begun before goes first: a straggler with an older time must not change what its
 * rerun finds. That order reads all that waits in the lane, so it is used only if there is reason to.
 */
function* beginItem(tx: Tx, lane: string, now: number, again = false): Steps<StartedItem | undefined> {
  const next = again
    ? sql`
      SELECT id FROM items WHERE lane = ${lane} AND settled_at IS NULL AND ready_at <= ${now}
      ORDER BY CASE WHEN attempts > 0 THEN 0 ELSE 1 END, at, id LIMIT 1`
    : sql`
      SELECT id FROM items WHERE lane = ${lane} AND settled_at IS NULL AND ready_at <= ${now} ORDER BY at, id LIMIT 1`
  const found = yield* rowOf(next)
  if (!found) return undefined
  const suspect = isSuspect({ wasRunning: found.state === 'running', attempts: found.attempts })
  const burst = found.burst === null ? undefined : yield* sealedBurst(lane, found.burst, now)
  if (burst === 'incomplete') return undefined
  const row = burst ? ((yield* rowOf(sql`${burst.id}`)) as ItemRow) : found
  yield* run(
    burst
      ? sql`
        UPDATE items SET state = 'running', attempts = attempts + 1
        WHERE burst = ${burst.id} AND lane = ${lane} AND settled_at IS NULL`
      : sql`UPDATE items SET state = 'running', attempts = attempts + 1 WHERE id = ${row.id}`,
  )
  const body = row.long_body === null ? row.body : yield* bodyAt(tx, row.long_body)
  return started(row, body as Uint8Array, suspect, burst)
}

/** Makes a dead or parked item wait again, with all of its burst: see `Store.retryItems`. Completed handlers stay completed. */
export function* retryItem(tx: Tx, id: number, now: number): Steps<readonly number[]> {
  // Conditional on purpose: an item that waits, runs or is done is left alone, however often it is asked for.
  const items = yield* all<{ id: number; lane: string }>(sql`
    UPDATE items SET state = 'stored', attempts = 0, ready_at = 0, reason = NULL, failure = NULL, created_at = ${now}, settled_at = NULL
    WHERE (id = ${id} OR burst = (SELECT burst FROM items WHERE id = ${id})) AND state IN ('dead', 'parked')
    RETURNING id, lane`)
  if (items[0]) yield* wakeLane(tx, items[0].lane, 'item', now)
  return items.map((item) => item.id).toSorted((a, b) => a - b)
}
