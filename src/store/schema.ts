import { EFFECTS } from './built-in.ts'
import type { Query } from './statements/sql.ts'
import { type AnyTable, making } from './statements/tables.ts'
import { customers, opt_outs, timers } from './tables/customer-tables.ts'
import { contents, inbox, once_results, processes, work } from './tables/inbox-tables.ts'
import { acts, meta } from './tables/meta-tables.ts'
import { reached, sends, statuses, throttles } from './tables/outbox-tables.ts'

export interface CopiedTable {
  readonly name: string
  readonly columns: readonly { readonly name: string; readonly type: 'INTEGER' | 'TEXT' | 'BLOB' }[]
  portions(): Iterable<readonly CopiedRow[]>
}

export type CopiedRow = readonly (number | string | Uint8Array | null)[]

const TABLES_OF_FEATURES: Readonly<Record<string, AnyTable>> = Object.assign({}, ...EFFECTS.map(({ tables }) => tables))

/**
 * All tables by name. Times are milliseconds of wall time unless a comment says otherwise. `at` and `last_at` are
 * service time.
 */
export const TABLES = {
  inbox,
  contents,
  work,
  processes,
  once_results,
  customers,
  timers,
  opt_outs,
  sends,
  throttles,
  statuses,
  reached,
  ...TABLES_OF_FEATURES,
  acts,
  meta,
} as const

export type Migration = readonly Query[]

/** Steps from one schema to the next. The list is append-only. Within a major version, steps only add to the schema. */
export const MIGRATIONS: readonly Migration[] = [Object.values(TABLES).flatMap((one) => making(one))]
