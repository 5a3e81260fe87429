import { SwitchhookError } from '../../base/errors.ts'
import { all, one, Query, run, sql, type Steps, type Value } from '../operations/steps.ts'
import { MIGRATIONS } from '../operations/tables/schema.ts'
import type { CopiedRow, CopiedTable, CopyTarget } from '../port/reader.ts'
import { shownDatabase } from './address.ts'
import { unavailable } from './faults.ts'
import { checkServer, CLUSTER, migrate, newerRelease, versionOf } from './open.ts'
import { openPool, type OpenPool, type PostgresClient } from './pool.ts'
import { qualified, SCHEMA, SEQUENCES, TABLES } from './schema.ts'
import { asText, drive, openSession } from './session.ts'
import { BEGIN_ALONE, within } from './transaction.ts'

/** Tables into which a bot writes at its start, before it receives or sends anything. */
const OF_A_START = ['meta', 'secrets', 'payload_mapping']

/** Rows that belong to the database, and not to what is in it. */
const OF_THE_DATABASE = sql`name IN ('schema_version', 'cluster', 'copying')`

/** Copies into one database exclude each other. */
const ONE_COPY = sql`pg_try_advisory_lock(1400326251, 2)`

/**
 * Opens a database into which one in that `state` is to be copied. Nothing is written before `begin`.
 *
 * @throws SwitchhookError `store_unavailable`, `store_newer`.
 */
export async function openCopyTarget(address: string, { state }: { readonly state: number }): Promise<CopyTarget> {
  const pool = await openPool(address)
  try {
    const version = await schemaOf(pool, address)
    const client = await pool.connect()
    return await targetOver(pool, client, { state, version })
  } catch (error) {
    await pool.close()
    throw error instanceof SwitchhookError ? error : unavailable('the database cannot be opened', error)
  }
}

async function schemaOf(pool: OpenPool, address: string): Promise<number> {
  const session = await openSession(pool)
  try {
    await checkServer(session)
    const version = await versionOf(session)
    if (version > MIGRATIONS.length) throw newerRelease(version)
    if (version === 0 || version === MIGRATIONS.length) return version
    throw new SwitchhookError(
      'store_unavailable',
      `${shownDatabase(address)} has the tables of an older release: copy into a database that has none`,
    )
  } finally {
    session.release()
  }
}

async function targetOver(
  pool: OpenPool,
  client: PostgresClient,
  { state, version }: { state: number; version: number },
): Promise<CopyTarget> {
  // Without a time-out, unlike a session of a bot: counting many rows takes long, and nobody waits.
  const ask = <T>(steps: Steps<T>): Promise<T> =>
    drive(steps, (query) => client.query({ ...query, text: qualified(query.text) }))
  const { alone, bots } = await ask(lookAround())
  if (!alone) throw new SwitchhookError('store_unavailable', 'another copy works on this database: let it end')
  const found = version === 0 ? 'empty' : await ask(lookInto(state))
  return {
    found,
    bots,
    begin: () =>
      within(pool, BEGIN_ALONE, async (session) => {
        await migrate(session)
        if (found !== 'begun') await session.script(`TRUNCATE ${TABLES.filter((name) => name !== 'meta').join(', ')}`)
        if (found !== 'begun') await session.drive(markBegun(state))
      }),
    count: (table) => ask(countOf(table)),
    write: (table, rows) =>
      ask(writeRows(table, rows)).catch((error: unknown) => {
        throw unavailable(`rows of ${table.name} could not be copied`, error)
      }),
    same: (table, rows) => ask(countSame(table, rows)),
    end: () => within(pool, BEGIN_ALONE, (session) => session.drive(markEnded())),
    async close() {
      client.release(true)
      await pool.close()
    },
  }
}

function* lookAround(): Steps<{ alone: boolean; bots: number }> {
  const found = yield* one<{ alone: boolean; bots: number }>(sql`
    SELECT ${ONE_COPY} AS alone, (SELECT count(*) FROM pg_stat_activity
      WHERE datname = current_database() AND query ~ '^(LISTEN|NOTIFY) switchhook') AS bots`)
  return found ?? { alone: false, bots: 0 }
}

function* lookInto(state: number): Steps<CopyTarget['found']> {
  const begun = yield* one<{ value: number }>(sql`SELECT value FROM meta WHERE name = 'copying'`)
  if (begun) return begun.value === state ? 'begun' : 'other'
  for (const table of TABLES.filter((name) => !OF_A_START.includes(name)))
    if (yield* one(new Query(`SELECT 1 FROM ${table} LIMIT 1`))) return 'used'
  return 'empty'
}

function* markBegun(state: number): Steps<void> {
  yield* run(sql`DELETE FROM meta WHERE name <> 'schema_version'`)
  yield* run(sql`INSERT INTO meta (name, value) VALUES ('copying', ${state})`)
}

/** The database is this server's own from the beginning, so that its open sends are not taken for those of a backup. */
function* markEnded(): Steps<void> {
  for (const { name, above } of SEQUENCES) yield* all(new Query(`SELECT setval('${SCHEMA}.${name}', 1 + (${above}))`))
  yield* run(sql`INSERT INTO meta (name, value) SELECT 'cluster', ${CLUSTER}`)
  yield* run(sql`DELETE FROM meta WHERE name = 'copying'`)
}

function only({ name }: CopiedTable): Query {
  return name === 'meta' ? sql`NOT ${OF_THE_DATABASE}` : sql`true`
}

function* countOf(table: CopiedTable): Steps<number> {
  const counted = yield* one<{ n: number }>(
    sql`SELECT count(*) AS n FROM ${new Query(table.name)} WHERE ${only(table)}`,
  )
  return counted?.n ?? 0
}

function* writeRows(table: CopiedTable, rows: readonly CopiedRow[]): Steps<void> {
  const names = table.columns.map(({ name }) => name)
  yield* run(
    sql`INSERT INTO ${new Query(table.name)} (${new Query(names.join(', '))}) SELECT * FROM ${lists(table, names, rows)}`,
  )
}

function* countSame(table: CopiedTable, rows: readonly CopiedRow[]): Steps<number> {
  const names = new Query(table.columns.map(({ name }) => name).join(', '))
  const found = yield* all<Readonly<Record<string, unknown>>>(sql`
    SELECT ${names} FROM ${new Query(table.name)}
    WHERE (${new Query(table.key.join(', '))}) IN (SELECT * FROM ${lists(table, table.key, rows)})`)
  const there = new Set(found.map((row) => textOf(table.columns.map(({ name }) => row[name]))))
  return rows.filter((row) => there.has(textOf(row))).length
}

const TYPES = { INTEGER: 'bigint', TEXT: 'text', BLOB: 'bytea' } as const

/** Some columns of rows as a table of the statement: a list for each column. */
function lists(table: CopiedTable, names: readonly string[], rows: readonly CopiedRow[]): Query {
  const columns = names.map((name) => table.columns.findIndex((column) => column.name === name))
  const types = columns.map((index) => `?::${TYPES[table.columns[index]?.type ?? 'TEXT']}[]`)
  const values = columns.map((index) => rows.map((row) => stored(row[index] ?? null)))
  // The driver takes a list for a value, which no statement of an operation has.
  return new Query(`unnest(${types.join(', ')})`, values as unknown as readonly Value[])
}

function stored(value: CopiedRow[number]): CopiedRow[number] {
  return typeof value === 'string' ? asText(value) : value
}

function textOf(row: readonly unknown[]): string {
  return JSON.stringify(
    row.map((value) =>
      value instanceof Uint8Array ? Buffer.from(value).toString('base64') : stored(value as CopiedRow[number]),
    ),
  )
}
