import type { Holding } from '../port/index.ts'
import type { Sql } from './connection.ts'
import { UNHANDLED_NAMING } from './forget.ts'

const TABLES = ['items', 'sends', 'sessions', 'windows', 'mutes'] as const
const NUMBERS = TABLES.map((table) => `SELECT number FROM ${table} WHERE customer = ?`).join(' UNION ')

/** See `Store.numbersOf`. */
export function numbersOf(sql: Sql, customer: string): string[] {
  const rows = sql(`${NUMBERS} ORDER BY number`).all(...TABLES.map(() => customer)) as { number: string }[]
  return rows.map(({ number }) => number)
}

/** See `Store.holding`. */
export function holding(sql: Sql, { number, customer }: { number: string; customer: string }): Holding {
  const count = (table: (typeof TABLES)[number]) =>
    (sql(`SELECT count(*) AS n FROM ${table} WHERE number = ? AND customer = ?`).get(number, customer) as { n: number })
      .n
  return {
    items: count('items'),
    sends: count('sends'),
    sessions: count('sessions'),
    windows: count('windows'),
    mutes: count('mutes'),
  }
}

const NAMING = `SELECT count(*) AS n FROM ${UNHANDLED_NAMING}`

/** See `Store.naming`. */
export function naming(sql: Sql, customer: string): number {
  return (sql(NAMING).get(customer) as { n: number }).n
}
