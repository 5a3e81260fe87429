import type { Claim, Fence, LaneKind, Work } from '../port/index.ts'
import type { Tx } from './group-commit.ts'

/**
 * The rows of lanes. One writer at a time is what SQLite gives: so what a lane still holds is read in the
 * transaction that releases it, and no wake-up can fall between.
 */

const WAKE = `
  INSERT INTO lanes (key, kind, ready_at) VALUES (?, ?, ?)
  ON CONFLICT (key) DO UPDATE SET ready_at = max(min(ready_at, excluded.ready_at), holds_until) WHERE owner IS NULL`

/** Something waits in the lane from this time on. A lane that somebody holds finds it by itself. */
export function wakeLane(tx: Tx, key: string, kind: LaneKind, readyAt: number): void {
  tx.sql(WAKE).run(key, kind, readyAt)
  tx.wake(WORK_OF[kind])
}

const WORK_OF: Readonly<Record<LaneKind, Work>> = { item: 'items', send: 'sends' }

const READY = 'SELECT key FROM lanes WHERE kind = ? AND ready_at <= ? AND owner IS NOT ? ORDER BY ready_at LIMIT ?'
const TAKE = 'UPDATE lanes SET owner = ?, token = ?, ready_at = ?, holds_until = 0 WHERE key = ?'

/** Tokens rise within a process, and each process has an owner of its own: no fence is ever given twice. */
let lastToken = 0

/**
 * Takes the lanes that are ready, those with an expired lease among them; not its own, which run on where the
 * process stood still for longer than a lease.
 */
export function takeLanes(tx: Tx, kind: LaneKind, claim: Claim): Fence[] {
  const rows = tx.sql(READY).all(kind, claim.now, claim.owner, claim.limit) as { key: string }[]
  return rows.map(({ key }) => {
    const token = ++lastToken
    tx.sql(TAKE).run(claim.owner, token, claim.now + claim.leaseMs, key)
    return { lane: key, owner: claim.owner, token }
  })
}

const HOLDS = 'SELECT 1 FROM lanes WHERE key = ? AND owner = ? AND token = ?'

/** Whether this fence still stands. */
export function holdsLane(tx: Tx, fence: Fence): boolean {
  return tx.sql(HOLDS).get(fence.lane, fence.owner, fence.token) !== undefined
}

const RELEASE = 'UPDATE lanes SET owner = NULL, token = NULL, ready_at = ?, holds_until = ? WHERE key = ?'
const REMOVE = 'DELETE FROM lanes WHERE key = ?'

/** Lets a held lane go: until its next work is ready, or for good where nothing waits. */
export function releaseLane(tx: Tx, key: string, readyAt: number | undefined, holdsUntil = 0): void {
  if (readyAt === undefined) tx.sql(REMOVE).run(key)
  else tx.sql(RELEASE).run(readyAt, holdsUntil, key)
}

const EARLIEST = 'SELECT min(ready_at) AS at FROM lanes WHERE kind = ? AND owner IS NOT ?'

/** When the next lane is ready for this owner. */
export function earliestLane(tx: Tx, kind: LaneKind, owner: string): number | undefined {
  return (tx.sql(EARLIEST).get(kind, owner) as { at: number | null }).at ?? undefined
}

const RENEW = 'UPDATE lanes SET ready_at = ? WHERE owner = ?'

export function renewLanes(tx: Tx, owner: string, until: number): void {
  tx.sql(RENEW).run(until, owner)
}

/**
 * At the opening by the only user: whoever held these lanes is gone, so nobody waits for a lease to end. Nor for a
 * clock that went back since: what is not ready in a free lane, its own rows say.
 */
export const FREE_ALL = 'UPDATE lanes SET ready_at = 0 WHERE owner IS NOT NULL OR holds_until = 0'
