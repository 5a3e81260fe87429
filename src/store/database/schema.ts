import { createHash } from 'node:crypto'
import { SwitchhookError } from '../../base/errors.ts'
import { EFFECTS } from './effects-of-features.ts'
import { type Query, raw, sql } from './sql.ts'
import { execute, type Steps } from './steps.ts'
import { type AnyTable, making } from './table.ts'
import { customers, opt_outs, timers } from './customer-tables.ts'
import { contents, inbox, once_results, processes, work } from './inbox-tables.ts'
import { acts, meta } from './meta.ts'
import { reached, sends, statuses, throttles } from './outbox-tables.ts'

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

// ── databases of other builds ───────────────────────────────────────────────────────────────────────

/** The cause of a `store_unavailable` error that the start of an app fixes: it makes or migrates the tables. */
export class NotUpToDate extends Error {
  constructor() {
    super('it is none of this library’s, or of an older release: the app brings it up to date as it starts')
  }
}

/** The name in `meta` of the digest that the database got when its tables were made. */
export const SCHEMA_DIGEST = 'schema_digest'

export function digestOf(statements: readonly string[]): string {
  return createHash('sha256').update(statements.join('\n')).digest('hex')
}

/**
 * Refuses a database of another build. Before the first release the tables change without a new version, and rows of
 * other tables would be misread. `kept`: the database's digest; undefined if an older build stored none. @throws
 * SwitchhookError `store_unavailable`
 */
export function refuseOtherBuild(database: string, kept: string | undefined, statements: readonly string[]): void {
  if (kept === digestOf(statements)) return
  throw new SwitchhookError(
    'store_unavailable',
    `the database ${database} was written by an unreleased build whose tables differ from those of this one: ` +
      'start the build that wrote it, or start with a new database (SWITCHHOOK_DATABASE)',
  )
}

/** A bot or another process uses the database, or has used it. */
export class InUse extends Error {}

// ── indexes of a history ────────────────────────────────────────────────────────────────────────────

/** Conditions of the indexes. A database uses an index only for queries that contain its condition literally. */
export const OF_CUSTOMER = [sql`kind = 'message'`, sql`kind = 'signal'`]

export const HISTORY_INDEXES = {
  inbox_said: sql`inbox (number, customer, id) WHERE kind = 'message'`,
  inbox_signals: sql`inbox (number, customer, id) WHERE kind = 'signal'`,
  sends_said: sql`sends (number, customer, settled_at) WHERE state = 'accepted' AND withheld = 0`,
} as const

/** Makes indexes that are not in the schema, because each new delivery would have to update them. */
export function* makeIndexes(): Steps<void> {
  for (const [name, on] of Object.entries(HISTORY_INDEXES))
    yield* execute(sql`CREATE INDEX IF NOT EXISTS ${raw(name)} ON ${on}`)
}
