import { countedColumnOf } from '../database/table.ts'
import { joined, raw, sql, type Value } from '../database/sql.ts'
import { exists, one, execute, type Steps } from '../database/steps.ts'
import { setMeta, meta } from '../database/meta.ts'
import { SCHEMA_DIGEST, InUse } from '../database/schema.ts'
import { shownDatabase } from './address.ts'
import { openPool } from './pool.ts'
import { unavailable } from './server-faults.ts'
import { checkServer, CLUSTER, migrate } from './open.ts'
import { checkOwner } from './proofs.ts'
import { BEGIN_UNLOCKED, COUNT_ON, LOCK_WRITER, NO_TIMES, SCHEMA, VERSION_NAME, within } from './transaction.ts'
import { sends } from '../database/outbox-tables.ts'
import { processes, END_ALL_LEASES } from '../database/inbox-tables.ts'
import { TABLES, type CopiedRow, type CopiedTable } from '../database/schema.ts'

/**
 * Copies all tables in one transaction: a copy that fails leaves nothing. Returns the rows of each table. @throws
 * InUse, SwitchhookError `store_unavailable`, `store_newer`
 */
export async function copyInto(
  address: string,
  tables: readonly CopiedTable[],
  o: {
    readonly copying: (table: string) => void
    readonly beforeCommit: () => void
    readonly schemaOwner?: string | undefined
  },
): Promise<Readonly<Record<string, number>>> {
  const pool = await openPool(address)
  try {
    return await within(pool, BEGIN_UNLOCKED, async (connection) => {
      await connection.script(NO_TIMES)
      await checkServer(connection)
      await checkOwner(connection, o.schemaOwner)
      await migrate(connection)
      await connection.script(LOCK_WRITER)
      await connection.drive(refuseUsed(shownDatabase(address)))
      const copied: Record<string, number> = {}
      for (const table of tables) {
        let count = 0
        for (const rows of table.portions()) {
          if (count === 0) o.copying(table.name)
          count += rows.length
          await connection.drive(write(table, rows), { long: true }).catch((error: unknown) => {
            throw unavailable(`rows of ${table.name} could not be copied`, error)
          })
        }
        copied[table.name] = count
      }
      await connection.drive(goOnHere())
      o.beforeCommit()
      return copied
    })
  } finally {
    await pool.close()
  }
}

/**
 * Refuses a database that has been used. A bot that only started has written rows of `meta` and `processes`. Those rows
 * are deleted.
 */
function* refuseUsed(shown: string): Steps<void> {
  const working = sql`
    SELECT 1 FROM pg_stat_activity
    WHERE datname = current_database() AND query ~ '^(LISTEN|NOTIFY) switchhook' LIMIT 1`
  if (yield* exists(working)) throw new InUse(`a bot works on ${shown}: stop that first`)
  const { meta: _meta, processes: _processes, ...ofWork } = TABLES
  for (const table of Object.values(ofWork))
    if (yield* exists(sql`SELECT 1 FROM ${table} LIMIT 1`))
      throw new InUse(
        `a bot has worked in ${shown}: copy into another database, or remove that bot's tables first (DROP SCHEMA ${SCHEMA} CASCADE)`,
      )
  yield* execute(sql`DELETE FROM ${meta} WHERE name NOT IN (${VERSION_NAME}, ${SCHEMA_DIGEST})`)
  yield* execute(sql`DELETE FROM ${processes}`)
}

const TYPES = { INTEGER: 'bigint', TEXT: 'text', BLOB: 'bytea' } as const

function* write({ name, columns }: CopiedTable, rows: readonly CopiedRow[]): Steps<void> {
  const names = raw(columns.map((column) => column.name).join(', '))
  const lists = columns.map(({ type }, nth) => {
    // The driver accepts a list as a value, although the type `Value` contains no lists.
    const values = rows.map((row) => row[nth] ?? null) as unknown as Value
    return sql`${values}::${raw(TYPES[type])}[]`
  })
  yield* execute(sql`INSERT INTO ${raw(name)} (${names}) SELECT * FROM unnest(${joined(lists, ', ')})`)
}

/** Stores this server's identifier, because a start on another server than the stored one holds the open sends. */
function* goOnHere(): Steps<void> {
  yield* execute(raw(END_ALL_LEASES))
  yield* setMeta('cluster', (yield* one<{ id: string }>(CLUSTER))?.id ?? '')
  yield* execute(sql`SELECT setval(${`${SCHEMA}.sends_seq`}, 1 + greatest(
    (SELECT coalesce(max(seq), 0) FROM ${sends}), (SELECT value::bigint FROM ${meta} WHERE name = 'last_send')))`)
  yield* execute(raw(COUNT_ON))
  for (const { table, column } of Object.values(TABLES).flatMap((one) => countedColumnOf(one) ?? []))
    yield* execute(sql`
      SELECT setval(pg_get_serial_sequence(${`${SCHEMA}.${table}`}, ${column}),
        1 + (SELECT coalesce(max(${raw(column)}), 0) FROM ${raw(table)}))`)
}
