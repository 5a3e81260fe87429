import { impossibleAfter } from '../../rules/items.ts'
import { OPEN, PROBE_NOW } from '../../rules/sends.ts'
import { one, type Query, run, sql, type Steps, type Tx } from '../steps.ts'
import { numbersWaiting } from './numbers-waiting.ts'

/**
 * A wall clock that goes back makes nothing wait longer than was meant. The store keeps the latest time at which
 * something was seen to wait; a clock that is behind that time went back, and every wait moves with it. Of several
 * processes the first one that looks moves the waits and that time, in one transaction.
 */

const SEEN = 'waits_seen_at'

export function* noteWait(now: number): Steps<void> {
  yield* run(sql`
    INSERT INTO meta (name, value) VALUES (${SEEN}, ${now})
    ON CONFLICT (name) DO UPDATE SET value = excluded.value WHERE meta.value < excluded.value`)
}

/** A smaller difference is no sign of a step: processes know the time of a database's server no better. */
const NO_STEP_MS = 500

/** Moves all waits by as much as the clock went back since something was last seen to wait. */
export function* followClock(tx: Tx, now: number): Steps<void> {
  yield* advanceQueue(now)
  const seenAt = (yield* seen()) ?? now
  if (seenAt - now <= NO_STEP_MS) return yield* noteWaits(now)
  yield* moveWaits(now, seenAt - now)
  yield* run(sql`UPDATE meta SET value = ${now} WHERE name = ${SEEN}`)
  tx.wake('items')
  tx.wake('sends')
}

function* seen(): Steps<number | undefined> {
  return (yield* one<{ value: number }>(sql`SELECT value FROM meta WHERE name = ${SEEN}`))?.value
}

export function* noteWaits(now: number): Steps<void> {
  const waiting = yield* one(sql`
    SELECT 1 WHERE EXISTS (SELECT 1 FROM lanes WHERE kind IN ('item', 'send') AND ready_at IS NOT NULL)
      OR EXISTS (SELECT 1 FROM throttles WHERE closed_until > ${now})`)
  if (waiting) yield* noteWait(now)
}

/** The clock went back, and what it has left in the rows is to be moved: waits, places in the queue, leases. */
export function* hasGoneBack(now: number, leaseMs: number): Steps<boolean> {
  const left = yield* one(sql`
    SELECT 1 WHERE EXISTS (SELECT 1 FROM meta WHERE name = ${SEEN} AND value > ${now + NO_STEP_MS})
      OR EXISTS (${aheadOf(now, 'item')}) OR EXISTS (${aheadOf(now, 'send')})
      OR EXISTS (
        SELECT 1 FROM lanes
        WHERE kind IN ('item', 'send', 'code') AND ready_at > ${impossibleAfter(now, leaseMs)} AND owner IS NOT NULL)`)
  return left !== undefined
}

// Leases stay: whoever lives renews them, and `renewLanes` ends those of the dead.
function* moveWaits(now: number, back: number): Steps<void> {
  // The ten minutes of an unknown outcome go on from where they were.
  yield* run(sql`
    UPDATE sends SET attempting_since = attempting_since - ${back}, first_attempt_at = least(first_attempt_at, ${now})
    WHERE settled_at IS NULL AND attempting_since > ${now}
      AND lane IN (SELECT key FROM lanes WHERE kind = 'send' AND ready_at IS NOT NULL)`)
  yield* run(sql`
    UPDATE items SET ready_at = ready_at - ${back} WHERE settled_at IS NULL AND ready_at > 0 AND ready_at > ${now}`)
  yield* run(sql`
    UPDATE sends SET next_at = next_at - ${back} WHERE settled_at IS NULL AND next_at > 0 AND next_at > ${now}`)
  for (const kind of ['item', 'send'])
    yield* run(sql`
      UPDATE lanes SET ready_at = ready_at - ${back}, blocked_until = greatest(0, blocked_until - ${back})
      WHERE kind = ${kind} AND ready_at > ${now} AND owner IS NULL`)
  yield* run(sql`
    UPDATE throttles SET closed_until = greatest(${PROBE_NOW}, closed_until - ${back}), since = least(since, ${now})
    WHERE closed_until > ${OPEN} AND closed_until > ${now}`)
}

/** Lanes that one renewal moves, in a few milliseconds; the next renewal goes on. */
const LANES_ADVANCED = 1_000

/** Lanes that are ready since a time that lies ahead would stand behind all that becomes ready until then. */
function* advanceQueue(now: number): Steps<void> {
  for (const kind of ['item', 'send'] as const)
    yield* run(sql`
      UPDATE lanes SET since = ${now} WHERE key IN (
        ${aheadOf(now, kind)} ORDER BY l.since LIMIT ${LANES_ADVANCED})`)
}

/** The keys of lanes that are ready since a time that only another clock can have given, by numbers. */
function aheadOf(now: number, kind: 'item' | 'send'): Query {
  return sql`
    WITH RECURSIVE ${numbersWaiting(kind)}
    SELECT l.key FROM numbers n CROSS JOIN lanes l
    WHERE l.kind = ${kind} AND l.ready_at = 0 AND l.number = n.number AND l.since > ${now + NO_STEP_MS}`
}
