import { hash } from 'node:crypto'
import { type Gathered, isFull, readyAfterGathering, type BurstRules } from '../rules/items.ts'
import { type Query, sql } from '../statements/sql.ts'
import { grouped, insert } from '../statements/statements.ts'
import { contents, inbox, work } from '../tables/inbox-tables.ts'
import { all, exists, one, execute, type Steps, type Tx } from '../steps.ts'
import { enterLane, markFollowed, promote } from './lanes.ts'
import { blank } from '../statements/tables.ts'

export interface EarlierMessage {
  readonly deliveryId: string
  readonly at: number
  readonly facts: string
  readonly trace?: string | undefined
}

/**
 * While a burst is gathered, its messages are outside their lane. When it is sealed, the last message represents all of
 * them in the lane and gives the burst its id. The others have no time at which they are due.
 */

export const GATHERED = 0

export function ofBurst(burst: number): Query {
  return sql`item IN (SELECT id FROM ${inbox} WHERE burst = ${burst} AND burst > 0)`
}

export function* gather(lane: string, rules: BurstRules, now: number): Steps<void> {
  const gathered = (yield* one<Gathered>(sql`
    SELECT count(*) AS messages, min(since) AS since FROM ${work} WHERE state = 'gathering' AND lane = ${lane}`)) as Gathered
  if (isFull(rules, gathered)) return yield* seal(lane, now)
  yield* execute(sql`
    UPDATE ${work} SET due = ${readyAfterGathering(rules, gathered, now)} WHERE state = 'gathering' AND lane = ${lane}`)
}

export function* openOutside(o: {
  readonly state: 'gathering' | 'parked' | 'stored' | 'unread'
  readonly item: number
  readonly now: number
  readonly lane?: string
  readonly number?: string
  readonly at?: number
  readonly burst?: number | undefined
  readonly completed?: string | undefined
  readonly reason?: string | undefined
}): Steps<void> {
  const { now, ...given } = o
  yield* execute(
    insert(work, { ...blank(work), ...given, run: now, since: now, attempts: 0, followed: 0, interrupted: 0 }),
  )
}

export function isBusy(lane: string): Steps<boolean> {
  return exists(sql`
    SELECT 1 FROM ${work} WHERE lane = ${lane} AND place < 2 UNION ALL SELECT 1 FROM ${work} WHERE lane = ${lane} AND state = 'gathering'
    LIMIT 1`)
}

export function* sealIfFree(lane: string, now: number): Steps<void> {
  const busy = yield* one(sql`SELECT 1 FROM ${work} WHERE lane = ${lane} AND place < 2`)
  if (!busy) return yield* seal(lane, now)
  yield* markFollowed('work', lane)
  yield* execute(sql`UPDATE ${work} SET due = NULL WHERE state = 'gathering' AND lane = ${lane}`)
}

const WAITS = grouped(
  { lane: work.lane, now: work.since },
  ({ lane, now }) => sql`
    SELECT 1 AS waits FROM ${work} WHERE state = 'gathering' AND lane = ${lane} AND (due IS NULL OR due <= ${now}) LIMIT 1`,
)

/** A burst that waits for a free lane enters it. */
export function* enterGathered(tx: Pick<Tx, 'wake'>, lane: string, now: number): Steps<void> {
  if (!(yield* one(WAITS({ lane, now })))) return
  yield* seal(lane, now)
  tx.wake('items')
}

export function* promoteItem(tx: Pick<Tx, 'wake'>, lane: string, now: number): Steps<void> {
  if ((yield* promote('work', lane, now)) === undefined) yield* enterGathered(tx, lane, now)
  else tx.wake('items')
}

export function* seal(lane: string, now: number): Steps<void> {
  const members = yield* all<{ id: number; cause: string; at: number }>(sql`
    SELECT i.id, i.cause, i.at FROM ${work} w JOIN ${inbox} i ON i.id = w.item
    WHERE w.state = 'gathering' AND w.lane = ${lane} ORDER BY i.at, i.id`)
  const [first] = members
  const last = members.at(-1)
  if (!first || !last) return
  // A message that is alone keeps its own cause.
  const burst = members.length === 1 ? undefined : last.id
  const cause = members.length === 1 ? first.cause : causeOfBurst(members.map((member) => member.cause))
  for (const { id } of members)
    yield* execute(sql`UPDATE ${inbox} SET burst = ${burst}, cause = ${cause} WHERE id = ${id}`)
  yield* execute(sql`
    UPDATE ${work} SET state = 'stored', burst = ${burst}, due = NULL WHERE state = 'gathering' AND lane = ${lane}`)
  yield* stand(last.id, first.at, lane, now)
}

function causeOfBurst(causes: readonly string[]): string {
  return `burst:${hash('sha256', JSON.stringify(causes), 'base64url')}`
}

export function* stand(item: number, at: number, lane: string, now: number): Steps<void> {
  yield* execute(sql`UPDATE ${work} SET at = ${at} WHERE item = ${item}`)
  yield* enterLane('work', item, lane, now)
}

/**
 * Chooses the message that represents a burst, when all messages are there. A person may have had them ingested again,
 * and a message may have left the burst.
 */
export function* represent(burst: number, lane: string, now: number): Steps<void> {
  const members = yield* all<{ id: number; at: number; state: string; place: number | null }>(sql`
    SELECT i.id, i.at, w.state, w.place FROM ${inbox} i JOIN ${work} w ON w.item = i.id
    WHERE i.burst = ${burst} AND i.burst > 0 AND w.lane = ${lane} ORDER BY i.at, i.id`)
  if (members.some(({ state, place }) => state !== 'stored' || place !== null)) return
  const [first] = members
  const last = members.at(-1)
  if (!first || !last) return
  if (last.id !== burst) {
    yield* execute(sql`UPDATE ${work} SET burst = ${last.id} WHERE ${ofBurst(burst)}`)
    yield* execute(sql`UPDATE ${inbox} SET burst = ${last.id} WHERE burst = ${burst} AND burst > 0`)
  }
  yield* stand(last.id, first.at, lane, now)
}

export function* membersOf(burst: number): Steps<readonly (EarlierMessage & { readonly id: number })[]> {
  const rows = yield* all<EarlierMessage & { readonly id: number; readonly trace: string | null }>(sql`
    SELECT i.id, i.at, f.facts, coalesce(d.delivery_id, d.other_id) AS "deliveryId", d.trace
    FROM ${inbox} i JOIN ${work} w ON w.item = i.id JOIN ${inbox} d ON d.id = coalesce(i.delivery, i.id)
      LEFT JOIN ${contents} f ON f.id = i.id
    WHERE i.burst = ${burst} AND i.burst > 0 ORDER BY i.at, i.id`)
  return rows.map((row) => ({ ...row, trace: row.trace ?? undefined }))
}
