import type { SendPage, SendQuery } from '../port/index.ts'
import type { Sql } from './connection.ts'
import { type Row, sendOf } from './send-rows.ts'

const LIST = `
  SELECT * FROM sends
  WHERE seq < ? AND (? IS NULL OR state = ?) AND (? IS NULL OR number = ?) AND (? IS NULL OR customer = ?)
  ORDER BY seq DESC LIMIT ?`

/** See `Store.listSends`. */
export function listSends(sql: Sql, query: SendQuery): SendPage {
  const { limit, after = Number.MAX_SAFE_INTEGER } = query
  const [state, number, customer] = [query.state ?? null, query.number ?? null, query.customer ?? null]
  const rows = sql(LIST).all(after, state, state, number, number, customer, customer, limit) as Row[]
  return { sends: rows.map(sendOf), next: rows.length < limit ? undefined : rows.at(-1)?.seq }
}
