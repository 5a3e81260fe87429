import type { CustomerLatest, CustomerOfNumber } from '../../port/index.ts'
import { customerLane, inLanesOf } from '../lanes/lanes.ts'
import { INDEXED_SEND } from '../sends/by-state.ts'
import { sendsOf } from '../sends/sends.ts'
import { all, Query, sql, type Steps } from '../steps.ts'
import { deliveries } from './list-deliveries.ts'

/** The conditions of the indexes of a history. */
const SAID = [new Query("items WHERE kind = 'message'"), new Query("sends WHERE state = 'accepted' AND withheld = 0")]

/** See `Store.numbersOf`: one step into an index for each number, and one for the customer on it. */
export function* numbersOf(customer: string): Steps<string[]> {
  const found = new Set<string>()
  for (const said of SAID) {
    const rows = yield* all<{ number: string }>(sql`
      WITH RECURSIVE numbers(number) AS (
        SELECT number FROM (SELECT number FROM ${said} ORDER BY number LIMIT 1) AS first
        UNION ALL
        SELECT (SELECT number FROM ${said} AND number > numbers.number ORDER BY number LIMIT 1)
        FROM numbers WHERE number IS NOT NULL)
      SELECT number FROM numbers n WHERE EXISTS (
        SELECT 1 FROM ${said} AND number = n.number AND customer = ${customer})`)
    for (const { number } of rows) found.add(number)
  }
  return [...found].sort()
}

/** See `Store.latestOf`. */
export function* latestOf(who: CustomerOfNumber, last: number): Steps<CustomerLatest> {
  const { number, customer } = who
  const to = sql`number = ${number} AND customer = ${customer}`
  const found = yield* all<{ seq: number }>(sql`
    SELECT seq FROM items WHERE kind = 'message' AND ${to} ORDER BY id DESC LIMIT ${last}`)
  const part = (rows: Query) => sql`SELECT seq FROM (SELECT seq FROM sends WHERE ${rows} LIMIT ${last}) AS part`
  return {
    deliveries: yield* deliveries(found.map(({ seq }) => seq)),
    sends: yield* sendsOf(sql`
      seq IN (
        ${part(sql`state = 'accepted' AND withheld = 0 AND ${to} ORDER BY settled_at DESC`)}
        UNION ${part(sql`${inLanesOf(customerLane(who))} AND settled_at IS NULL ORDER BY seq DESC`)}
        UNION ${part(sql`
          ${INDEXED_SEND} AND state IN ('refused', 'unknown', 'skipped', 'cancelled', 'dropped') AND ${to}
          ORDER BY + seq DESC`)})
      ORDER BY seq DESC LIMIT ${last}`),
  }
}
