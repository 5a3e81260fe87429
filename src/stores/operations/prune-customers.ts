import type { PruneMark } from '../port/index.ts'
import type { StageEnd } from './prune-bytes.ts'
import { one, Query, run, sql, type Steps, when } from './steps.ts'

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
  what: keyof typeof KEPT,
  before: number,
  at: PruneMark['at'],
  limit: number,
): Steps<StageEnd> {
  const { table, key, isOld } = KEPT[what]
  const after = when(at.length > 0, () => sql`AND (${key}) > (${listed(at)})`)
  const last = yield* one<Readonly<Record<string, string>>>(sql`
    SELECT ${key} FROM ${table} WHERE true ${after} ORDER BY ${key} LIMIT 1 OFFSET ${limit - 1}`)
  const next = last && Object.values(last)
  const upto = when(next !== undefined, () => sql`AND (${key}) <= (${listed(next ?? [])})`)
  yield* run(sql`DELETE FROM ${table} WHERE ${isOld(before)} ${after} ${upto}`)
  return { next }
}

function listed(values: readonly (string | number)[]): Query {
  return new Query(values.map(() => '?').join(', '), values)
}
