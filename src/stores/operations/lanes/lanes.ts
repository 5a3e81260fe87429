import { noteWait } from './clock-rollback.ts'
import { one, type Query, run, sql, type Steps, type Tx } from '../steps.ts'
import { type Beginning, type Fence, type LaneKind, numberOf } from '../../port/index.ts'
import { AT_ONCE, impossibleAfter, readyAfterRelease } from '../../rules/items.ts'

/**
 * The rows of lanes. One writer at a time: what a lane still holds is read in the transaction that releases the lane,
 * and no wake-up can fall between. `ready_at` of a row says three things: without an owner it is the time of the lane's
 * next work, with one it is the end of the lease, and NULL is an idle lane, whose row is kept for its customer's window.
 */

/** The lane of a customer's messages, in whose row the customer's window lies. */
export function customerLane({ number, customer }: { readonly number: string; readonly customer: string }): string {
  return `${number}/${customer}`
}

/** SQL condition for sends whose lane begins with a prefix and a slash: '0' is the character behind '/'. */
export function inLanesOf(prefix: string): Query {
  return sql`lane > ${`${prefix}/`} AND lane < ${`${prefix}0`}`
}

interface Entering {
  readonly now: number
  readonly customer: string | undefined
  readonly lastAt?: number | undefined
  readonly begin?: Beginning | undefined
  /** Wall time at which the lane's next item is ready, which need not be the one that enters; default at once. */
  readonly readyAt?: number
}

/** The lane that was entered: its customer's window as it was moved, and the fence if it was taken. */
export interface Entered extends Window {
  readonly fence?: Fence
  readonly muted: boolean
  readonly talking: boolean
}

interface EnteredRow extends WindowRow {
  readonly ready_at: number | null
  readonly muted: number
  readonly talking: number
  readonly pending: number
}

/**
 * An item enters its lane, which is woken; if somebody holds the lane, its holder finds the item there. A lane that is
 * idle is taken at once if the item may begin and nothing is pending, since that may belong before it. The customer's
 * window moves too, forward only, whatever the order in which their messages come.
 */
export function* enterLane(
  tx: Tx,
  lane: string,
  { now, customer, lastAt, begin, readyAt: nextAt = AT_ONCE }: Entering,
): Steps<Entered> {
  const number = numberOf(lane)
  const row = (yield* one<EnteredRow>(sql`
    SELECT ready_at, last_at, handled_at, sent_at,
      EXISTS (SELECT 1 FROM mutes WHERE number = ${number} AND customer = ${customer}) AS muted,
      EXISTS (
        SELECT 1 FROM conversations WHERE number = ${number} AND customer = ${customer} AND state = 'open') AS talking,
      EXISTS (SELECT 1 FROM pending) AS pending
    FROM (SELECT 1) AS asked LEFT JOIN lanes ON key = ${lane}`)) as EnteredRow
  const before = windowIn(row)
  const moved = lastAt === undefined ? before.lastAt : Math.max(lastAt, before.lastAt ?? lastAt)
  const entered = { ...before, lastAt: moved, muted: Boolean(row.muted), talking: Boolean(row.talking) }
  const movedAt = lastAt === undefined ? undefined : now
  if (row.ready_at !== null) {
    yield* run(sql`
      UPDATE lanes SET ready_at = CASE WHEN owner IS NULL THEN greatest(blocked_until, ${nextAt}) ELSE ready_at END,
        last_at = ${moved}, moved_at = coalesce(${movedAt}, moved_at)
      WHERE key = ${lane}`)
    tx.wake('items')
    return entered
  }
  const fence = begin && !row.pending && begin.room.take(number) ? newFence(lane, begin.owner) : undefined
  const readyAt = fence && begin ? begin.now + tx.waitedMs + begin.leaseMs : nextAt
  yield* run(sql`
    INSERT INTO lanes (key, kind, number, ready_at, since, owner, token, last_at, moved_at)
    VALUES (${lane}, 'item', ${number}, ${readyAt}, ${now}, ${fence?.owner}, ${fence?.token}, ${moved}, ${movedAt})
    ON CONFLICT (key) DO UPDATE SET ready_at = excluded.ready_at, since = excluded.since, owner = excluded.owner,
      token = excluded.token, last_at = excluded.last_at, moved_at = coalesce(excluded.moved_at, lanes.moved_at)`)
  if (fence) return { ...entered, fence }
  tx.wake('items')
  return entered
}

export function* moveWindow(lane: string, lastAt: number, now: number): Steps<void> {
  yield* run(sql`
    INSERT INTO lanes (key, kind, number, ready_at, since, last_at, moved_at)
    VALUES (${lane}, 'item', ${numberOf(lane)}, NULL, ${now}, ${lastAt}, ${now})
    ON CONFLICT (key) DO UPDATE SET
      last_at = greatest(coalesce(lanes.last_at, excluded.last_at), excluded.last_at), moved_at = excluded.moved_at`)
}

/** Something is ready in the lane. If somebody holds the lane, its holder finds it there. */
export function* wakeLane(tx: Tx, lane: string, kind: 'item' | 'send', now: number): Steps<void> {
  // A back-off that blocks the lane keeps it from being woken.
  yield* run(sql`
    INSERT INTO lanes (key, kind, number, ready_at, since)
    VALUES (${lane}, ${kind}, ${numberOf(lane)}, ${AT_ONCE}, ${now})
    ON CONFLICT (key) DO UPDATE SET
      since = CASE WHEN lanes.ready_at IS NULL THEN excluded.since ELSE lanes.since END,
      ready_at = greatest(excluded.ready_at, lanes.blocked_until)
    WHERE lanes.owner IS NULL`)
  tx.wake(kind === 'item' ? 'items' : 'sends')
}

/** Tokens rise within a process, and each process has an owner of its own: no fence is ever given twice. */
export function newFence(lane: string, owner: string): Fence {
  return { lane, owner, token: ++lastToken }
}

let lastToken = 0

/**
 * The condition that a fence still stands: nobody has taken the lane since. It holds also after the end of the lease.
 */
export function stands({ lane, owner, token }: Fence): Query {
  return sql`EXISTS (SELECT 1 FROM lanes WHERE key = ${lane} AND owner = ${owner} AND token = ${token})`
}

export function* holdsLane(fence: Fence): Steps<boolean> {
  return (yield* one(sql`SELECT 1 WHERE ${stands(fence)}`)) !== undefined
}

/** Takes a lane that nobody holds, as its caller has seen in this transaction, or makes it. */
export function* makeHeldLane(
  lane: string,
  kind: LaneKind,
  { owner, until, now }: { owner: string; until: number; now: number },
): Steps<Fence> {
  const fence = newFence(lane, owner)
  yield* run(sql`
    INSERT INTO lanes (key, kind, number, ready_at, since, owner, token)
    VALUES (${lane}, ${kind}, ${numberOf(lane)}, ${until}, ${now}, ${owner}, ${fence.token})
    ON CONFLICT (key) DO UPDATE SET ready_at = excluded.ready_at, owner = excluded.owner, token = excluded.token`)
  return fence
}

/** Releases a held lane behind all that wait by then. If nothing waits in it, it is idle, or goes. */
export function* releaseLane(key: string, nextAt: number | undefined, now: number, blockedUntil = 0): Steps<void> {
  const readyAt = readyAfterRelease({ nextAt, blockedUntil }, now)
  if (readyAt === undefined) {
    const gone = yield* run(sql`DELETE FROM lanes WHERE key = ${key} AND last_at IS NULL`)
    if (gone > 0) return
  }
  if (readyAt !== undefined && readyAt > now) yield* noteWait(now)
  yield* run(sql`
    UPDATE lanes SET owner = NULL, token = NULL, ready_at = ${readyAt}, since = ${now}, blocked_until = ${blockedUntil}
    WHERE key = ${key}`)
}

/**
 * A time at which an item of the lane is ready; undefined if none waits. Any item that is ready now will do: the earliest
 * time of all would be read from all that wait, for each message of a customer who writes thousands.
 */
export function* nextItemAt(lane: string, now: number): Steps<number | undefined> {
  const row = yield* one<{ at: number | null }>(sql`
    SELECT coalesce(
      (SELECT ready_at FROM items WHERE lane = ${lane} AND settled_at IS NULL AND ready_at <= ${now} LIMIT 1),
      (SELECT min(ready_at) FROM items WHERE lane = ${lane} AND settled_at IS NULL)) AS at`)
  return row?.at ?? undefined
}

/** The fences whose lanes were lost: a lane that was lost stays lost. Leases that only a clock which has gone back can have given end. */
export function* renewLanes(fences: readonly Fence[], now: number, leaseMs: number): Steps<Fence[]> {
  const lost: Fence[] = []
  for (const fence of fences) {
    const { lane, owner, token } = fence
    const prolonged = yield* run(sql`
      UPDATE lanes SET ready_at = ${now + leaseMs} WHERE key = ${lane} AND owner = ${owner} AND token = ${token}`)
    if (prolonged === 0) lost.push(fence)
  }
  // Looked for with each renewal and not with each claim, which must not read all lanes that wait.
  yield* run(sql`
    UPDATE lanes SET ready_at = 0
    WHERE kind IN ('item', 'send', 'code') AND ready_at > ${impossibleAfter(now, leaseMs)} AND owner IS NOT NULL`)
  return lost
}

/** The times of a customer's window; service time. */
export interface Window {
  readonly lastAt?: number | undefined
  /** The latest message that was handled. */
  readonly handledAt?: number | undefined
  readonly sentAt?: number | undefined
}

export interface WindowRow {
  readonly last_at: number | null
  readonly handled_at: number | null
  readonly sent_at: number | null
}

export function* windowOf(lane: string): Steps<Window> {
  const row = yield* one<WindowRow>(sql`SELECT last_at, handled_at, sent_at FROM lanes WHERE key = ${lane}`)
  return row ? windowIn(row) : {}
}

export function windowIn({ last_at: last, handled_at: handled, sent_at: sent }: WindowRow): Window {
  return { lastAt: last ?? undefined, handledAt: handled ?? undefined, sentAt: sent ?? undefined }
}
