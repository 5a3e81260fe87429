import { hash } from 'node:crypto'
import type { BurstRules, EarlierMessage } from '../../port/index.ts'
import { AT_ONCE, type Gathered, isFull, readyAfterGathering } from '../../rules/items.ts'
import { noteWait } from '../lanes/clock-rollback.ts'
import { nextItemAt } from '../lanes/lanes.ts'
import { all, one, run, sql, type Steps } from '../steps.ts'

/**
 * Bursts of messages. An item's column `burst` is null if the item is handled alone, `GATHERED` until its burst is
 * sealed, and then the id of the burst: that of its last item by payload time, which stands for all of them.
 */
export const GATHERED = 0

/** A burst waits so long for members that a person has ingested again, one after the other. */
const INCOMPLETE_WAITS_MS = 1_000

/** The lane gathers one message more. The answer is the time at which its next item is ready. */
export function* gather(lane: string, rules: BurstRules, now: number): Steps<number> {
  const gathered = (yield* one<Gathered>(sql`
    SELECT count(*) AS messages, min(created_at) AS since FROM items WHERE burst = ${GATHERED} AND lane = ${lane}`)) as Gathered
  if (isFull(rules, gathered)) {
    yield* seal(lane)
    return AT_ONCE
  }
  const readyAt = readyAfterGathering(rules, gathered, now)
  yield* run(sql`UPDATE items SET ready_at = ${readyAt} WHERE burst = ${GATHERED} AND lane = ${lane}`)
  if (readyAt > now) yield* noteWait(now)
  return (yield* nextItemAt(lane, now)) ?? readyAt
}

/** Seals what the lane has gathered, which is ready then. The answer is the burst; undefined if it is no more than one. */
export function* seal(lane: string): Steps<number | undefined> {
  const members = yield* all<{ id: number; cause: string }>(sql`
    SELECT id, cause FROM items WHERE burst = ${GATHERED} AND lane = ${lane} ORDER BY at, id`)
  if (members.length === 0) return undefined
  const burst = members.length === 1 ? undefined : members.at(-1)?.id
  const cause = causeOfBurst(members.map((member) => member.cause))
  yield* run(sql`
    UPDATE items SET burst = ${burst}, cause = ${cause}, ready_at = ${AT_ONCE}
    WHERE burst = ${GATHERED} AND lane = ${lane}`)
  return burst
}

/** One message alone keeps its own cause. */
function causeOfBurst(causes: readonly string[]): string {
  const [only] = causes
  if (causes.length === 1 && only !== undefined) return only
  return `burst:${hash('sha256', JSON.stringify(causes), 'base64url')}`
}

export interface SealedBurst {
  readonly id: number
  readonly earlier: readonly EarlierMessage[]
}

/**
 * The burst of an item that is to begin, sealed by now. Undefined if the item is alone after all; `'incomplete'` if
 * others of it are being ingested again, for which it waits.
 */
export function* sealedBurst(lane: string, of: number, now: number): Steps<SealedBurst | 'incomplete' | undefined> {
  const burst = of === GATHERED ? yield* seal(lane) : of
  if (burst === undefined) return undefined
  if (of !== GATHERED && (yield* isIncomplete(burst))) {
    yield* run(sql`
      UPDATE items SET ready_at = ${now + INCOMPLETE_WAITS_MS}
      WHERE burst = ${burst} AND lane = ${lane} AND settled_at IS NULL`)
    yield* noteWait(now)
    return 'incomplete'
  }
  const members = yield* all<EarlierMessage & { readonly id: number; readonly trace: string | null }>(sql`
    SELECT i.id, i.at, f.facts, d.delivery_id AS "deliveryId", d.trace
    FROM items i JOIN deliveries d ON d.seq = i.seq LEFT JOIN contents f ON f.place = i.facts_place
    WHERE i.burst = ${burst} AND i.lane = ${lane} AND i.settled_at IS NULL ORDER BY i.at, i.id`)
  const id = members.at(-1)?.id ?? burst
  // The last one may have gone to another customer, or be discarded.
  if (id !== burst)
    yield* run(sql`
    UPDATE items SET burst = ${id} WHERE burst = ${burst} AND lane = ${lane} AND settled_at IS NULL`)
  const earlier = members.slice(0, -1)
  return {
    id,
    earlier: earlier.map(({ deliveryId, at, facts, trace }) => ({ deliveryId, at, facts, trace: trace ?? undefined })),
  }
}

function* isIncomplete(burst: number): Steps<boolean> {
  const pending = yield* one(
    sql`SELECT 1 FROM items i JOIN pending p ON p.seq = i.seq WHERE i.burst = ${burst} LIMIT 1`,
  )
  return pending !== undefined
}
