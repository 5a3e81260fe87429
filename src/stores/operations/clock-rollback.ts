import { aheadFrom, impossibleAfter, rollbackOf } from '../rules/lanes.ts'
import { PROBE_NOW } from '../rules/throttles.ts'
import { all, run, sql, type Steps, type Tx } from './steps.ts'

/** Sends and throttles that wait for a time which only a clock that has gone back since can have set go on now. */
export function* endImpossibleWaits(tx: Tx, now: number, leaseMs: number): Steps<void> {
  const latest = impossibleAfter(now, leaseMs).send
  const lanes = yield* all<{ key: string }>(sql`
    SELECT key FROM lanes WHERE kind = 'send' AND owner IS NULL AND ready_at > ${latest} ORDER BY key`)
  for (const { key } of lanes) {
    yield* run(sql`UPDATE sends SET next_at = 0 WHERE lane = ${key} AND settled_at IS NULL`)
    yield* run(sql`UPDATE lanes SET ready_at = 0 WHERE key = ${key}`)
  }
  const throttles = yield* run(sql`UPDATE throttles SET closed_until = ${PROBE_NOW} WHERE closed_until > ${latest}`)
  if (throttles + lanes.length > 0) tx.wake('sends')
}

/** Items whose lane was released by a clock that has gone back since wait as long as was meant: see `rollbackOf`. */
export function* shiftBackoffs(tx: Tx, now: number): Steps<void> {
  const ahead = aheadFrom(now)
  const lanes = yield* all<{ key: string; since: number; ready_at: number }>(sql`
    SELECT key, since, ready_at FROM lanes
    WHERE kind = 'item' AND ready_at > ${ahead} AND since > ${ahead} AND owner IS NULL ORDER BY key`)
  for (const { key, since, ready_at: readyAt } of lanes) {
    const back = rollbackOf({ since, readyAt }, now)
    yield* run(sql`
      UPDATE items SET ready_at = ready_at - ${back} WHERE lane = ${key} AND settled_at IS NULL AND ready_at > ${ahead}`)
    yield* run(sql`
      UPDATE lanes SET ready_at = ready_at - ${back}, blocked_until = greatest(0, blocked_until - ${back}),
        since = ${now}
      WHERE key = ${key}`)
  }
  if (lanes.length > 0) tx.wake('items')
}
