import type { Counts, Waiting } from '../../port/index.ts'
import { SHOWN_STATE } from '../sends/sends.ts'
import { all, one, Query, sql, type Steps, when } from '../steps.ts'

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

/** See `Store.waiting`. Each count reads what waits, by an index, and not the table. */
export function* waiting(): Steps<Waiting> {
  const row = yield* one<Waiting>(sql`
    SELECT (SELECT count(*) FROM pending) AS deliveries,
      (SELECT count(*) FROM items WHERE settled_at IS NULL) AS items,
      (SELECT count(*) FROM sends WHERE settled_at IS NULL) AS sends`)
  return row ?? { deliveries: 0, items: 0, sends: 0 }
}
