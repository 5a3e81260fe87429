import type { PruneMark, Pruning } from '../../port/index.ts'
import { all, Query, run, sql, type Steps, type Tx, when } from '../steps.ts'
import { untilLong } from '../until-long.ts'
import type { StageEnd } from './prune-bytes.ts'

interface Kept {
  readonly table: Query
  /** The columns of its key. */
  readonly key: Query
  isOld(before: number): Query
}

/** The rows that are kept of customers and not of deliveries. */
const KEPT = {
  // A window that closed says no more than none.
  windows: {
    table: sql`lanes`,
    key: sql`key`,
    isOld: (before) => sql`moved_at < ${before} AND ready_at IS NULL`,
  },
  // A mute that has just ended is kept, against a `BOT` that comes late.
  mutes: { table: sql`mutes`, key: sql`number, customer`, isOld: (before) => sql`until < ${before}` },
  sessions: { table: sql`sessions`, key: sql`number, customer`, isOld: (before) => sql`expires_at < ${before}` },
} as const satisfies Record<string, Kept>

/** Removes what ended before a time. It looks at all rows by their keys: an index would cost every delivery. */
export function* pruneCustomers(
  tx: Pick<Tx, 'isLong'>,
  what: keyof typeof KEPT,
  { idsBefore, limit }: Pruning,
  at: PruneMark['at'],
): Steps<StageEnd> {
  const { table, key, isOld } = KEPT[what]
  const after = when(at.length > 0, () => sql`AND (${key}) > (${listed(at)})`)
  const rows = yield* all<Readonly<Record<string, string | number>>>(sql`
    SELECT CASE WHEN ${isOld(idsBefore)} THEN 1 ELSE 0 END AS old, ${key} FROM ${table} WHERE true ${after}
    ORDER BY ${key} LIMIT ${limit}`)
  const keys = rows.map(({ old, ...values }) => ({ isOld: old === 1, key: Object.values(values) }))
  const old = keys.filter((row) => row.isOld)
  const removed = yield* untilLong(tx, old, (row) =>
    run(sql`DELETE FROM ${table} WHERE (${key}) = (${listed(row.key)})`),
  )
  const last = removed < old.length ? old[removed - 1] : rows.length < limit ? undefined : keys.at(-1)
  return { next: last?.key }
}

function listed(values: readonly (string | number)[]): Query {
  return new Query(values.map(() => '?').join(', '), values)
}
