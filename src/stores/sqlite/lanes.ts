import type { Claim, Fence, Held, LaneKind } from '../port/index.ts'
import { AT_ONCE, impossibleAfter, readyAfterRelease } from '../rules/lanes.ts'
import { OPEN as THROTTLE_OPEN } from '../rules/throttles.ts'
import type { Tx } from './group-commit.ts'

/**
 * The rows of lanes. SQLite has one writer at a time: what a lane still holds is read in the transaction that releases
 * it, and no wake-up can fall between.
 */

// A back-off that blocks the lane keeps it from being woken.
const WAKE = `
  INSERT INTO lanes (key, kind, ready_at, since) VALUES (?, ?, ?, ?)
  ON CONFLICT (key) DO UPDATE SET ready_at = max(min(ready_at, excluded.ready_at), blocked_until) WHERE owner IS NULL`

/** Something is ready in the lane. If somebody holds the lane, its holder finds it there. */
export function wakeLane(tx: Tx, key: string, kind: 'item' | 'send', now: number): void {
  tx.sql(WAKE).run(key, kind, AT_ONCE, now)
  tx.wake(WORK_OF[kind])
}

const WORK_OF = { item: 'items', send: 'sends' } as const

// A lane that comes due is ordered by its due time, not by now; otherwise it starves behind busy lanes.
const COME_DUE = 'UPDATE lanes SET ready_at = 0, since = ready_at WHERE kind = ? AND ready_at > 0 AND ready_at <= ?'
// Another process, which read its clock later, may have found the lane due; by this process's clock its item is not
// ready yet, and the item behind it would be begun.
const NOT_BLOCKED = 'blocked_until <= ?'
// If a back-off blocked the lane, or its holder is gone, something in it has begun before.
const AGAIN = '(owner IS NOT NULL OR blocked_until > 0) AS again'
const READY = `
  SELECT key, ${AGAIN} FROM lanes
  WHERE kind = ? AND ready_at <= ? AND ${NOT_BLOCKED} AND key NOT IN (SELECT value FROM json_each(?))
  ORDER BY ready_at, since LIMIT ?`
// Nothing goes out from a number whose throttle is closed. The lane's key begins with the number, which has no slash.
const NUMBER = "substr(key, 1, instr(key, '/') - 1)"
const OPEN = `
  SELECT key, ${AGAIN} FROM lanes
  WHERE kind = ? AND ready_at <= ? AND key NOT IN (SELECT value FROM json_each(?))
    AND ${NUMBER} NOT IN (SELECT number FROM throttles WHERE closed_until > ?)`
const READY_AND_OPEN = `${OPEN} ORDER BY ready_at, since LIMIT ?`
// A send whose outcome is unknown already is the first to probe: each send that probes in an outage may end as unknown.
const IN_DOUBT = `
  (SELECT state FROM sends
    WHERE lane = lanes.key AND settled_at IS NULL AND held_from IS NULL AND state <> 'scheduled'
    ORDER BY seq LIMIT 1) IS 'attempting'`
const READY_TO_PROBE = `${OPEN} ORDER BY ${IN_DOUBT} DESC, ready_at, since LIMIT ?`
const CLOSED = `SELECT 1 FROM throttles WHERE closed_until > ${THROTTLE_OPEN} LIMIT 1`

/** Some number's throttle is closed, or its pause is over and no send has probed it yet. */
function isAnyClosed(tx: Tx): boolean {
  return tx.sql(CLOSED).get() !== undefined
}

const TAKE = 'UPDATE lanes SET owner = ?, token = ?, ready_at = ?, blocked_until = 0 WHERE key = ?'

/** Tokens rise within a process, and each process has an owner of its own: no fence is ever given twice. */
let lastToken = 0

/** A lane that was taken. `again`: something in it has begun before, and was interrupted or failed and blocks it. */
export interface Taken {
  readonly fence: Fence
  readonly again: boolean
}

/**
 * Takes lanes that are ready, or whose lease has expired. The claimer's own lanes are left out: they run on, even if
 * the process stood still for longer than a lease.
 */
export function takeLanes(tx: Tx, kind: LaneKind, claim: Claim): Taken[] {
  const { now, holding = [], limit } = claim
  tx.sql(COME_DUE).run(kind, now)
  const inHand = JSON.stringify(holding)
  const rows = (
    kind === 'send'
      ? tx.sql(isAnyClosed(tx) ? READY_TO_PROBE : READY_AND_OPEN).all(kind, now, inHand, now, limit)
      : tx.sql(READY).all(kind, now, now, inHand, limit)
  ) as { key: string; again: number }[]
  return rows.map(({ key, again }) => {
    const token = ++lastToken
    tx.sql(TAKE).run(claim.owner, token, claim.now + claim.leaseMs, key)
    return { fence: { lane: key, owner: claim.owner, token }, again: again === 1 }
  })
}

const MAKE = 'INSERT INTO lanes (key, kind, ready_at, since, owner, token) VALUES (?, ?, ?, ?, ?, ?)'

/** Makes a lane that is held from its beginning. */
export function takeLane(
  tx: Tx,
  lane: string,
  kind: LaneKind,
  { owner, until, now }: { owner: string; until: number; now: number },
): Fence {
  const token = ++lastToken
  tx.sql(MAKE).run(lane, kind, until, now, owner, token)
  return { lane, owner, token }
}

const HOLDS = 'SELECT 1 FROM lanes WHERE key = ? AND owner = ? AND token = ?'

/** The fence still stands: nobody has taken the lane since. */
export function holdsLane(tx: Tx, fence: Fence): boolean {
  return tx.sql(HOLDS).get(fence.lane, fence.owner, fence.token) !== undefined
}

const RELEASE = 'UPDATE lanes SET owner = NULL, token = NULL, ready_at = ?, since = ?, blocked_until = ? WHERE key = ?'
const REMOVE = 'DELETE FROM lanes WHERE key = ?'

/** Releases a held lane behind all that wait by then; a lane in which nothing waits goes. */
export function releaseLane(tx: Tx, key: string, nextAt: number | undefined, now: number, blockedUntil = 0): void {
  const readyAt = readyAfterRelease({ nextAt, blockedUntil }, now)
  if (readyAt === undefined) tx.sql(REMOVE).run(key)
  else tx.sql(RELEASE).run(readyAt, now, blockedUntil, key)
}

const EARLIEST = `
  SELECT min(ready_at) AS at FROM lanes WHERE kind = ? AND key NOT IN (SELECT value FROM json_each(?))`

const EARLIEST_AND_OPEN = `
  SELECT min(max(ready_at, coalesce((SELECT closed_until FROM throttles WHERE number = ${NUMBER}), 0))) AS at FROM lanes
  WHERE kind = ? AND key NOT IN (SELECT value FROM json_each(?))`

/** The time at which the next lane is ready that the claimer does not hold; undefined if none waits. */
export function earliestLane(tx: Tx, kind: LaneKind, claim: Claim, held: readonly Held<unknown>[]): number | undefined {
  const holding = [...(claim.holding ?? []), ...held.map(({ fence }) => fence.lane)]
  const query = kind === 'send' && isAnyClosed(tx) ? EARLIEST_AND_OPEN : EARLIEST
  return (tx.sql(query).get(kind, JSON.stringify(holding)) as { at: number | null }).at ?? undefined
}

const RENEW = 'UPDATE lanes SET ready_at = ? WHERE key = ? AND owner = ? AND token = ?'
// Looked for with each renewal and not with each claim, which must not read all lanes that wait.
const EXPIRE_IMPOSSIBLE = `
  UPDATE lanes SET ready_at = 0, blocked_until = 0
  WHERE kind IN ('item', 'send') AND ready_at > ? AND (owner IS NOT NULL OR blocked_until > 0)`

/** Prolongs leases, and expires leases and blocks that only a clock which has gone back since can have given. */
export function renewLanes(tx: Tx, fences: readonly Fence[], now: number, leaseMs: number): void {
  for (const { lane, owner, token } of fences) tx.sql(RENEW).run(now + leaseMs, lane, owner, token)
  tx.sql(EXPIRE_IMPOSSIBLE).run(impossibleAfter(now, leaseMs).lease)
}

/** At the opening by the only user: whoever held these lanes is gone, so nobody waits for a lease to end. */
export const FREE_ALL = 'UPDATE lanes SET ready_at = 0 WHERE owner IS NOT NULL'
