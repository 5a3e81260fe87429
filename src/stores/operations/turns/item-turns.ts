import { somePending } from '../inbox/pending.ts'
import { sealedBurst, type SealedBurst } from '../items/bursts.ts'
import { bodyAt, LONGEST_READ_ALONG } from '../items/contents.ts'
import { openColumns, openIn, type OpenRow, writeSession } from '../items/customers.ts'
import { noteWait } from '../lanes/clock-rollback.ts'
import { holdsLane, nextItemAt, releaseLane, stands, wakeLane } from '../lanes/lanes.ts'
import { nextLaneAt, takeLanes } from '../lanes/take-lanes.ts'
import { all, one, Query, run, sql, type Steps, type Tx } from '../steps.ts'
import { writeConversations } from './conversations.ts'
import { makeItemsOfDueTimers } from './due-timers.ts'
import {
  type Claim,
  type Claimed,
  type DueSend,
  type Failure,
  type Fence,
  type Held,
  type ItemKind,
  type Mute,
  type Next,
  numberOf,
  type Settled,
  type Settlement,
  type SendSettlement,
  type StartedItem,
} from '../../port/index.ts'
import {
  AT_ONCE,
  canGoOn,
  isLate,
  isSuspect,
  type ItemAtRest,
  itemChange,
  type ItemWaiting,
} from '../../rules/items.ts'

/** Something is pending: see `Claimed.pending`. */
export const PENDING = { held: [], nextAt: AT_ONCE, pending: true } as const

/**
 * Takes ready lanes, and lanes of others whose lease has expired, and begins in each the item with the oldest payload
 * time; its attempt is counted here. Timers that have come due are items then, up to a bound in each commit. If a back-off blocked the lane, or its holder is gone, an item that has begun
 * before goes first, so that its rerun finds what its first attempt found. A burst begins as one item, that of its last
 * message; its members are sealed here if they are not yet.
 */
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

/**
 * Settles a begun item and begins the lane's next one, or releases the lane if nothing is ready or `goOn` is false. All
 * items of a burst settle together. If the session was changed since the attempt read it, the settlement's change is
 * applied to the newer one, unless both changed the same key at the top: see `Settled.sessionChanged`.
 * Never dropped: if a commit fails, the settlement is stored by the next one.
 */
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

/**
 * Makes dead and parked items wait again, as if they had come just now, with all their attempts; handlers that had
 * completed do not run again. The answer names the items that wait again, which are all of a burst if one of it is
 * asked for. An item that waits, runs or is done is not touched, so it runs once however often it is asked for.
 *
 * Completed handlers stay completed.
 */
export function* retryItem(tx: Tx, id: number, now: number): Steps<readonly number[]> {
  // Conditional on purpose: an item that waits, runs or is done is left alone, however often it is asked for.
  const items = yield* all<{ id: number; lane: string }>(sql`
    UPDATE items SET state = 'stored', attempts = 0, ready_at = 0, reason = NULL, failure = NULL, created_at = ${now}, settled_at = NULL
    WHERE (id = ${id} OR burst = (SELECT burst FROM items WHERE id = ${id})) AND state IN ('dead', 'parked')
    RETURNING id, lane`)
  if (items[0]) yield* wakeLane(tx, items[0].lane, 'item', now)
  return items.map((item) => item.id).toSorted((a, b) => a - b)
}

/** An item with all that its attempt needs; the columns are those of `ITEM_COLUMNS`. */
export interface ItemRow extends OpenRow {
  readonly id: number
  readonly seq: number
  readonly idx: number
  readonly kind: ItemKind
  readonly number: string
  readonly customer: string | null
  readonly at: number
  readonly facts: string
  readonly cause: string
  readonly burst: number | null
  readonly state: string
  readonly attempts: number
  readonly created_at: number
  readonly completed_handlers: string
  readonly last_at: number | null
  readonly handled_at: number | null
  readonly sent_at: number | null
  readonly why: Mute['why'] | null
  readonly since: number
  readonly until: number
  readonly subscription: string
  readonly delivery_id: string
  readonly event: string
  readonly body: Uint8Array | null
  /** The place of a body that is not here since it is long. */
  readonly long_body: number | null
  readonly received_at: number
  readonly trace: string | null
  readonly failure: string | null
}

function rowOf(id: Query): Steps<ItemRow | undefined> {
  return one<ItemRow>(sql`SELECT ${ITEM_COLUMNS} FROM items i ${ITEM_JOINS} WHERE i.id = (${id})`)
}

/** The columns of a body, of an alias `c` of its row. */
export const BODY_COLUMNS = `
  CASE WHEN length(c.body) <= ${LONGEST_READ_ALONG} THEN c.body END AS body,
  CASE WHEN length(c.body) > ${LONGEST_READ_ALONG} THEN c.place END AS long_body`

export const ITEM_COLUMNS = new Query(`
  i.id, i.seq, i.idx, i.kind, i.number, i.customer, i.at, f.facts, i.cause, i.burst, i.state, i.attempts, i.created_at,
  i.completed_handlers, i.failure, w.last_at, w.handled_at, w.sent_at, m.why, m.since, m.until, ${openColumns('v').text},
  d.subscription, d.delivery_id, d.event, d.received_at, d.trace,${BODY_COLUMNS}`)

const ITEM_JOINS = new Query(`
  JOIN deliveries d ON d.seq = i.seq
  LEFT JOIN contents f ON f.place = i.facts_place LEFT JOIN contents c ON c.place = d.body_place
  LEFT JOIN lanes w ON w.key = i.number || '/' || i.customer
  LEFT JOIN mutes m ON m.number = i.number AND m.customer = i.customer
  LEFT JOIN conversations v ON v.number = i.number AND v.customer = i.customer AND v.state = 'open'`)

export function started(row: ItemRow, body: Uint8Array, suspect: boolean, burst: SealedBurst | undefined): StartedItem {
  const { earlier = ALONE } = burst ?? {}
  const { id, seq, idx, kind, number, customer, at, facts, cause, subscription, event, why, since, until, failure } =
    row
  return {
    id,
    idx,
    kind,
    number,
    customer: customer ?? undefined,
    at,
    facts,
    cause,
    attempt: row.attempts + 1,
    createdAt: row.created_at,
    suspect,
    completedHandlers: JSON.parse(row.completed_handlers) as string[],
    lastInboundAt: row.last_at ?? undefined,
    earlier,
    late: isLate(earlier[0]?.at ?? at, row.handled_at ?? undefined),
    lastSentAt: row.sent_at ?? undefined,
    mute: why === null || customer === null ? undefined : { number, customer, why, since, until },
    conversation: openIn(row),
    failedTrace: failure === null ? undefined : (JSON.parse(failure) as Failure).trace,
    delivery: {
      seq,
      subscription,
      deliveryId: row.delivery_id,
      event,
      body,
      receivedAt: row.received_at,
      trace: row.trace ?? undefined,
    },
  }
}

const ALONE: StartedItem['earlier'] = []

/*
 * If a commit has begun work for a caller who was refused before, the work is given back: others begin it at once, and
 * not when the lease is over. If that fails too, the lease ends by itself.
 */

interface SettlesItem {
  settleItem(fence: Fence, item: number, settlement: Settlement, next: Next): Promise<unknown>
}

interface SettlesSend {
  settleSend(fence: Fence, send: string, settlement: SendSettlement, next: Next): Promise<unknown>
}

export function letGo({ settleItem }: SettlesItem, held: readonly Held<StartedItem>[], now: number) {
  for (const { fence, work } of held) {
    const { id, completedHandlers } = work
    void settleItem(fence, id, { as: 'released', completedHandlers }, { now, goOn: false }).catch(() => {})
  }
}

/** No byte of it has left. */
export function letSendGo({ settleSend }: SettlesSend, { fence, work }: Held<DueSend>, now: number): void {
  const unused = { as: 'held', code: undefined, reason: 'nobody waited for it any more' } as const
  void settleSend(fence, work.send.id, unused, { now, goOn: false }).catch(() => {})
}

/** Claimed, and not begun. */
export function letSendsGo({ settleSend }: SettlesSend, held: readonly Held<DueSend>[], now: number): void {
  for (const { fence, work } of held)
    void settleSend(fence, work.send.id, { as: 'gone' }, { now, goOn: false }).catch(() => {})
}

/** The result that `keepOnce` stored under this name in an earlier run of the item, as JSON. */
export function* onceResult(item: number, name: string): Steps<string | undefined> {
  const kept = yield* one<{ result: string }>(sql`
    SELECT result FROM once_results WHERE item = ${item} AND name = ${name}`)
  return kept?.result
}

/**
 * Stores an effect's result with the item; the first one stands. False if the lane was lost. An effect that has run
 * must not run again because a commit failed: like a settlement its result is then stored by the next commit, and
 * before the settlement of its item.
 */
export function* keepOnce(fence: Fence, item: number, name: string, result: string): Steps<boolean> {
  if (!(yield* holdsLane(fence))) return false
  yield* run(sql`
    INSERT INTO once_results (item, name, result) VALUES (${item}, ${name}, ${result}) ON CONFLICT DO NOTHING`)
  return true
}
