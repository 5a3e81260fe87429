import type { Counts } from '../port/index.ts'
import { SHOWN_STATE } from './sends.ts'
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
  const state = table === 'sends' ? SHOWN_STATE : new Query('state')
  const rows = yield* all<{ state: string; n: number }>(
    sql`SELECT ${state} AS state, count(*) AS n FROM ${new Query(table)}
      ${when(table === 'items', () => sql`WHERE cause <> ''`)} GROUP BY 1 ORDER BY 1`,
  )
  return Object.fromEntries(rows.map(({ state, n }) => [state, n]))
}
