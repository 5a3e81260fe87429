import type { Holding } from '../port/index.ts'
import { all, one, type Query, sql, type Steps } from './steps.ts'

const KEPT = { items: 0, sends: 0, sessions: 0, windows: 0, mutes: 0 }

type Kept = typeof KEPT

/**
 * Counts what is kept of a customer: see `Store.holding`.
 *
 * @param naming the deliveries that name the customer and were never read for their customer.
 */
export function* holding(customer: string, naming: Query): Steps<Holding> {
  const rows = yield* all<{ number: string; what: keyof Kept; n: number }>(sql`
    SELECT number, what, count(*) AS n FROM (
      SELECT number, 'items' AS what FROM items WHERE customer = ${customer}
      UNION ALL SELECT number, 'sends' FROM sends WHERE customer = ${customer}
      UNION ALL SELECT number, 'sessions' FROM sessions WHERE customer = ${customer}
      UNION ALL SELECT number, 'windows' FROM lanes WHERE key = number || '/' || ${customer} AND last_at IS NOT NULL
      UNION ALL SELECT number, 'mutes' FROM mutes WHERE customer = ${customer}
    ) AS kept GROUP BY number, what ORDER BY number`)
  const numbers: Record<string, Kept> = {}
  for (const { number, what, n } of rows) numbers[number] = { ...(numbers[number] ?? KEPT), [what]: n }
  const named = yield* one<{ n: number }>(sql`SELECT count(*) AS n FROM ${naming}`)
  return { numbers, naming: named?.n ?? 0 }
}
