import type { Timers } from '../../base/clock.ts'
import { SwitchhookError } from '../../base/errors.ts'
import { countHeldSends, holdSends, isHolding, type Restored } from '../outbox/restored.ts'
import { type Migration, MIGRATIONS } from '../database/schema.ts'
import { digestOf, refuseOtherBuild, SCHEMA_DIGEST } from '../database/schema.ts'
import { forPostgres, sql } from '../database/sql.ts'
import { all, one, type Tx, type DatabaseState } from '../database/steps.ts'
import { metaValue, setMeta } from '../database/meta.ts'
import type { PostgresPool } from './pool.ts'
import { checkOwner, proveLock } from './proofs.ts'
import { isServers } from './server-faults.ts'
import type { Connection } from './connection.ts'
import { BEGIN_ALONE, BEGIN_UNLOCKED, IDS, newWriter, SCHEMA, transact, VERSION_NAME, within } from './transaction.ts'

/** The first version whose transaction ids tell the outcome of a lost commit. */
const OLDEST_SERVER = 130_000

/**
 * Checks the server and makes the tables. @throws SwitchhookError `store_newer`; `store_unavailable` if the server or
 * the schema cannot be used; `options_invalid` for a small pool; DatabaseFault
 */
export async function prepare(
  pool: PostgresPool,
  {
    restored: asked = false,
    schemaOwner,
    timers,
    monotonic,
  }: { restored?: boolean; schemaOwner?: string | undefined; timers: Timers; monotonic: () => number },
) {
  await makeTables(pool, schemaOwner)
  await proveLock(pool, timers)
  const found = await within(pool, BEGIN_ALONE, async (connection) => {
    await migrate(connection)
    await connection.script(`DELETE FROM ${SCHEMA}.commits WHERE at < now() - interval '1 day'`)
    const [home] = await connection.drive(all<{ home: string }>(sql`SELECT ${HOME} AS home`))
    return { ...(await connection.drive(admit(asked))), home: home?.home ?? '' }
  })
  for (let next = found.next; next !== undefined; ) {
    const after: number = next
    const run = (tx: Tx) => holdSends(tx, AT_ONCE, after)
    const { ended } = await transact(pool, newWriter(monotonic), [{ run, keys: undefined, waitedMs: () => 0 }])
    next = ended[0]?.result as number | undefined
  }
  const held = await within(pool, BEGIN_ALONE, (connection) => connection.drive(countHeldSends()))
  return { ...found, restored: held === undefined ? undefined : { why: found.why, held } }
}

const AT_ONCE = 250

/**
 * Makes the tables. Before the tables exist there is no lock. If two first starts run at once, one of them fails, and
 * tries again with the tables of the other.
 */
async function makeTables(pool: PostgresPool, owner: string | undefined): Promise<void> {
  const make = () =>
    within(pool, BEGIN_UNLOCKED, async (connection) => {
      await checkServer(connection)
      await checkOwner(connection, owner)
      if ((await versionOf(connection)) === 0) await migrate(connection)
    })
  await make().catch((error: unknown) => {
    if (!isServers(error) || !MADE_MEANWHILE.test(error.state ?? '')) throw error
    return make()
  })
}

const MADE_MEANWHILE = /^(42P06|42P07|23505)$/

/** Checks the version of the server and the encoding of its texts. @throws SwitchhookError `store_unavailable` */
export async function checkServer(connection: Connection): Promise<void> {
  const [server] = (await connection.script(`
    SELECT current_setting('server_version_num')::int AS version, current_setting('server_encoding') AS encoding`)) as [
    { version: number; encoding: string },
  ]
  if (server.version < OLDEST_SERVER)
    throw new SwitchhookError(
      'store_unavailable',
      `this PostgreSQL is of version ${Math.floor(server.version / 10_000)}, and 13 is the oldest that serves`,
    )
  if (server.encoding !== 'UTF8')
    throw new SwitchhookError(
      'store_unavailable',
      `the database has the encoding ${server.encoding}: create one with UTF8`,
    )
}

export async function migrate(connection: Connection, steps: readonly Migration[] = MIGRATIONS): Promise<void> {
  const version = await versionOf(connection, steps)
  if (version === steps.length) return
  if (version === 0) await connection.script(BEFORE_FIRST, { long: true })
  for (const step of steps.slice(version))
    await connection.script(`SET LOCAL statement_timeout = 0; ${migrationOf(step)}`, { long: true })
  if (version === 0) await connection.script(AFTER_FIRST)
  await connection.drive(setMeta(VERSION_NAME, String(steps.length)))
  await connection.drive(setMeta(SCHEMA_DIGEST, digestOf(statementsOf(steps))))
}

/**
 * Returns the version of the schema; 0 in an empty database. @throws SwitchhookError `store_newer`; `store_unavailable`
 * if the tables are of another build or another application.
 */
export async function versionOf(connection: Connection, steps: readonly Migration[] = MIGRATIONS): Promise<number> {
  const [found] = (await connection.script(`
    SELECT to_regclass('${SCHEMA}.meta') IS NOT NULL AS ours, current_database() AS database,
      (SELECT count(*) FROM pg_class WHERE relnamespace = to_regnamespace('${SCHEMA}')) AS tables`)) as [
    { ours: boolean; database: string; tables: number },
  ]
  if (!found.ours && found.tables === 0) return 0
  const rows = found.ours
    ? await connection.script(`SELECT name, value FROM ${SCHEMA}.meta WHERE name LIKE 'schema_%'`)
    : []
  const meta = new Map((rows as { name: string; value: string }[]).map(({ name, value }) => [name, value]))
  const version = Number(meta.get(VERSION_NAME) ?? meta.get('schema_version'))
  if (Number.isNaN(version))
    throw new SwitchhookError(
      'store_unavailable',
      `the schema ${SCHEMA} of this database is another application's: give the bot its own database`,
    )
  if (version > steps.length)
    throw new SwitchhookError(
      'store_newer',
      `the database has schema ${version}, this library knows ${steps.length}: use the newer release that wrote it`,
    )
  refuseOtherBuild(found.database, meta.get(SCHEMA_DIGEST), statementsOf(steps.slice(0, version)))
  return version
}

/**
 * Holds sends if the database was moved to another server. A server that was set back to an earlier state does not show
 * that: it needs `start({ restored: true })`.
 */
function* admit(asked: boolean) {
  const cluster = (yield* one<{ id: string }>(CLUSTER))?.id ?? ''
  const known = yield* metaValue('cluster')
  const brought = known !== undefined && known !== cluster
  const databaseState: DatabaseState = { unread: new Set(), newerSchema: undefined, restoredUpto: undefined }
  const holds = asked || brought || (yield* isHolding())
  const next = holds ? yield* holdSends({ databaseState, isLong: () => false, wake() {} }, AT_ONCE) : undefined
  yield* setMeta('cluster', cluster)
  const why: Restored['why'] = asked ? 'asked' : brought ? 'brought' : 'earlier'
  return { isNew: known === undefined, why, next }
}

// ── the schema ──────────────────────────────────────────────────────────────────────────────────────

/**
 * Tables `writing` and `proving` are only locked, never read. `commits` has the last commits of each process, so that
 * the outcome of a lost answer can be found.
 */
const BEFORE_FIRST = `CREATE SCHEMA IF NOT EXISTS ${SCHEMA}; CREATE SEQUENCE ${SCHEMA}.sends_seq; CREATE SEQUENCE ${IDS};
  CREATE TABLE ${SCHEMA}.writing (); CREATE TABLE ${SCHEMA}.proving AS SELECT 1 AS nth;
  CREATE TABLE ${SCHEMA}.commits (writer uuid, nth bigint, landed boolean NOT NULL, at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (writer, nth))`

/**
 * An update changes no index if the new version of the row fits into its page, so pages keep free space. Work rows are
 * inserted and deleted with each delivery, so dead rows are removed early.
 */
const AFTER_FIRST = `
  ALTER TABLE customers SET (fillfactor = 60);
  ALTER TABLE work SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000)`

function statementsOf(steps: readonly Migration[]): readonly string[] {
  return [BEFORE_FIRST, ...steps.map(migrationOf), AFTER_FIRST]
}

function migrationOf(step: Migration): string {
  return step.map((statement) => forPostgres(statement).text).join(';\n')
}

/** The database of a connection: the server's identifier, and the database's name. */
export const HOME = sql`(SELECT system_identifier || '/' || current_database() FROM pg_control_system())`

export const CLUSTER = sql`SELECT system_identifier::text AS id FROM pg_control_system()`
