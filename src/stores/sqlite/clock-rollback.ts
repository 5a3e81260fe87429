import { aheadFrom, impossibleAfter, rollbackOf } from '../rules/lanes.ts'
import { PROBE_NOW } from '../rules/throttles.ts'
import type { Tx } from './group-commit.ts'

const THROTTLES = `UPDATE throttles SET closed_until = ${PROBE_NOW} WHERE closed_until > ?`
const WAITING = "SELECT key FROM lanes WHERE kind = 'send' AND owner IS NULL AND ready_at > ?"
const SENDS = 'UPDATE sends SET next_at = 0 WHERE lane = ? AND settled_at IS NULL'
const LANE_AT_ONCE = 'UPDATE lanes SET ready_at = 0 WHERE key = ?'

/** Sends and throttles that wait for a time which only a clock that has gone back since can have set go on now. */
export function endImpossibleWaits(tx: Tx, now: number, leaseMs: number): void {
  const latest = impossibleAfter(now, leaseMs).send
  const lanes = tx.sql(WAITING).all(latest) as { key: string }[]
  for (const { key } of lanes) {
    tx.sql(SENDS).run(key)
    tx.sql(LANE_AT_ONCE).run(key)
  }
  if (tx.sql(THROTTLES).run(latest).changes + lanes.length > 0) tx.wake('sends')
}

const AHEAD = `
  SELECT key, since, ready_at FROM lanes WHERE kind = 'item' AND ready_at > ? AND since > ? AND owner IS NULL`
const ITEMS = 'UPDATE items SET ready_at = ready_at - ? WHERE lane = ? AND settled_at IS NULL AND ready_at > ?'
const LANE = `
  UPDATE lanes SET ready_at = ready_at - ?, blocked_until = max(0, blocked_until - ?), since = ? WHERE key = ?`

/** Items whose lane was released by a clock that has gone back since wait as long as was meant: see `rollbackOf`. */
export function shiftBackoffs(tx: Tx, now: number): void {
  const ahead = aheadFrom(now)
  const lanes = tx.sql(AHEAD).all(ahead, ahead) as { key: string; since: number; ready_at: number }[]
  for (const { key, since, ready_at: readyAt } of lanes) {
    const back = rollbackOf({ since, readyAt }, now)
    tx.sql(ITEMS).run(back, key, ahead)
    tx.sql(LANE).run(back, back, now, key)
  }
  if (lanes.length > 0) tx.wake('items')
}
