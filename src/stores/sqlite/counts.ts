import type { Counts } from '../port/index.ts'
import type { Connection } from './connection.ts'

/** See `Store.counts`. */
export function counts(connection: Connection): { deliveries: Counts; items: Counts; sends: Counts } {
  const of = (table: 'deliveries' | 'items' | 'sends'): Counts => {
    const rows = connection.sql(`SELECT state, count(*) AS n FROM ${table} GROUP BY state`).all()
    return Object.fromEntries((rows as { state: string; n: number }[]).map(({ state, n }) => [state, n]))
  }
  return { deliveries: of('deliveries'), items: of('items'), sends: of('sends') }
}
