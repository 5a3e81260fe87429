import type { Counts } from '../port/index.ts'
import { all, Query, sql, type Steps, when } from './steps.ts'

/** See `Store.counts`. An item of which only the claim of its identity is left has no cause. */
export function* counts(): Steps<{ deliveries: Counts; items: Counts; sends: Counts }> {
  return {
    deliveries: yield* countStates('deliveries'),
    items: yield* countStates('items'),
    sends: yield* countStates('sends'),
  }
}

function* countStates(table: 'deliveries' | 'items' | 'sends'): Steps<Counts> {
  const rows = yield* all<{ state: string; n: number }>(
    sql`SELECT state, count(*) AS n FROM ${new Query(table)}
      ${when(table === 'items', () => sql`WHERE cause <> ''`)} GROUP BY state ORDER BY state`,
  )
  return Object.fromEntries(rows.map(({ state, n }) => [state, n]))
}
