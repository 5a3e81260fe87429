import { type Query, sql } from '../database/sql.ts'
import { insert } from '../database/statements.ts'
import { contents, inbox, work } from '../database/inbox-tables.ts'
import { all, execute, type Steps } from '../database/steps.ts'
import { enterLane } from './lanes.ts'
import { blank } from '../database/table.ts'

/**
 * A bundle is several items of a lane that are handled as one. The last item represents all of them in the lane, and
 * gives the bundle its id. The others are outside the lane, and have no time at which they are due. They begin, end,
 * are parked and are retried together with the item that represents them.
 */

export interface EarlierMessage {
  readonly deliveryId: string
  readonly at: number
  readonly facts: string
  readonly trace?: string | undefined
}

export function inBundle(bundle: number): Query {
  return sql`item IN (SELECT id FROM ${inbox} WHERE bundle = ${bundle})`
}

export function* openOutside(o: {
  readonly state: 'gathering' | 'parked' | 'stored' | 'unread'
  readonly item: number
  readonly now: number
  readonly lane?: string
  readonly number?: string
  readonly at?: number
  readonly bundle?: number | undefined
  readonly completed?: string | undefined
  readonly reason?: string | undefined
}): Steps<void> {
  const { now, ...given } = o
  yield* execute(
    insert(work, { ...blank(work), ...given, run: now, since: now, attempts: 0, followed: 0, interrupted: 0 }),
  )
}

/** Lets the last item of a bundle enter the lane for all items. `at`: the time of the first item. */
export function* stand(item: number, at: number, lane: string, now: number): Steps<void> {
  yield* execute(sql`UPDATE ${work} SET at = ${at} WHERE item = ${item}`)
  yield* enterLane('work', item, lane, now)
}

/**
 * Chooses the item that represents a bundle, once all items of the bundle are stored. If a person had the items
 * ingested again and one of them left the bundle, another item may now be the last.
 */
export function* represent(bundle: number, lane: string, now: number): Steps<void> {
  const members = yield* all<{ id: number; at: number; state: string; place: number | null }>(sql`
    SELECT i.id, i.at, w.state, w.place FROM ${inbox} i JOIN ${work} w ON w.item = i.id
    WHERE i.bundle = ${bundle} AND w.lane = ${lane} ORDER BY i.at, i.id`)
  if (members.some(({ state, place }) => state !== 'stored' || place !== null)) return
  const [first] = members
  const last = members.at(-1)
  if (!first || !last) return
  if (last.id !== bundle) {
    yield* execute(sql`UPDATE ${work} SET bundle = ${last.id} WHERE ${inBundle(bundle)}`)
    yield* execute(sql`UPDATE ${inbox} SET bundle = ${last.id} WHERE bundle = ${bundle}`)
  }
  yield* stand(last.id, first.at, lane, now)
}

export function* membersOf(bundle: number): Steps<readonly (EarlierMessage & { readonly id: number })[]> {
  const rows = yield* all<EarlierMessage & { readonly id: number; readonly trace: string | null }>(sql`
    SELECT i.id, i.at, f.facts, coalesce(d.delivery_id, d.other_id) AS "deliveryId", d.trace
    FROM ${inbox} i JOIN ${work} w ON w.item = i.id JOIN ${inbox} d ON d.id = coalesce(i.delivery, i.id)
      LEFT JOIN ${contents} f ON f.id = i.id
    WHERE i.bundle = ${bundle} ORDER BY i.at, i.id`)
  return rows.map((row) => ({ ...row, trace: row.trace ?? undefined }))
}
