import type { Sql } from './connection.ts'

const WINDOW = 'SELECT last_at FROM windows WHERE number = ? AND customer = ?'

/** Service time of the customer's last message with a trusted time. */
export function windowOf(sql: Sql, number: string, customer: string): number | undefined {
  return (sql(WINDOW).get(number, customer) as { last_at: number } | undefined)?.last_at
}
