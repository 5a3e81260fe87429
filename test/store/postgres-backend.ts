import { Client, Pool, type PoolConfig } from 'pg'
import { expect, inject, onTestFinished } from 'vitest'
import { KNOWS_NOTHING } from '../../src/store/customers/customer.ts'
import { forPostgres } from '../../src/store/database/sql.ts'
import { MIGRATIONS, TABLES } from '../../src/store/database/schema.ts'
import type { PostgresPool } from '../../src/store/postgres/pool.ts'
import { openPostgres } from '../../src/store/postgres/postgres-store.ts'
import type { Store } from '../../src/store/store.ts'
import { NUMBERS, type Row } from '../support/read-postgres.ts'
import type { Backend, Place, View } from './backend.ts'

/** PostgreSQL, in a database for each place; one that a test is done with is emptied and used again. */
export const postgres: Backend = { name: 'postgres', place: openPlace }

/** A database, and a connection that looks into it. */
export interface TestDatabase {
  readonly url: string
  /** Its connections outlast a place: each new one would plan every statement again. */
  readonly pool: PostgresPool
  read(query: string, values?: readonly unknown[]): Promise<Row[]>
}

const unused: TestDatabase[] = []

/** An empty database; once it is removed, another place may have it. */
export async function openPlace(): Promise<Place & { readonly database: TestDatabase }> {
  return placeIn(unused.pop() ?? (await makeDatabase()))
}

/** A database that another test of the file may have had, emptied after this one: to make one costs as much as a test. */
export async function usedDatabase(): Promise<TestDatabase> {
  const place = await openPlace()
  onTestFinished(() => place.remove())
  return place.database
}

/** @param how the end of the statement that creates it. */
export async function makeDatabase(how = ''): Promise<TestDatabase> {
  const server = inject('postgres')
  const name = `switchhook_${process.pid}_${performance.now().toString(36).replace('.', '_')}`
  const admin = new Client(server)
  await admin.connect()
  await admin.query(`CREATE DATABASE ${name} TEMPLATE template0 ${how}`)
  await admin.end()
  const url = Object.assign(new URL(server), { pathname: `/${name}` }).href
  const client = new Client({ connectionString: url, options: '-c search_path=switchhook,public' })
  await client.connect()
  return {
    url,
    pool: poolOf(url),
    read: async (text, values = []) =>
      (await client.query({ text, values: [...values], types: NUMBERS })).rows as Row[],
  }
}

/** A store that closes ends the connection that listens. The next one would plan every statement again, so it is kept here. */
function poolOf(url: string): PostgresPool {
  const pool = new Pool({ connectionString: url, max: 20, pipeline: true })
  return {
    async connect() {
      const client = await pool.connect()
      const release = client.release.bind(client)
      client.setMaxListeners(0)
      client.release = () => void client.query('UNLISTEN *').finally(release)
      return client
    },
  }
}

function placeIn(database: TestDatabase): Place & { readonly database: TestDatabase } {
  const stores: Store[] = []
  let isOtherBuilds = false
  const setSchema = async (version: number) =>
    void (await database.read("UPDATE meta SET value = $1 WHERE name = 'schema_number'", [String(version)]))
  const setDigest = async (digest: string | undefined) => {
    isOtherBuilds = true
    await database.read("DELETE FROM meta WHERE name = 'schema_digest'")
    if (digest !== undefined) await database.read("INSERT INTO meta VALUES ('schema_digest', $1)", [digest])
  }
  return {
    async open(o = {}) {
      // On a busy machine an operation waits for long, and a lease would begin later than by the time that a test gives.
      const store = await openPostgres(database.pool, { monotonic: () => 0, ...o })
      stores.push(store)
      return store
    },
    view: viewOf(database),
    setSchema,
    setDigest,
    database,
    async remove() {
      await Promise.all(stores.map((store) => store.close()))
      const empties = Object.keys(TABLES).map((table) => `DELETE FROM switchhook.${table} ${KEPT[table] ?? ''}`)
      // Not by ALTER, after which each connection would plan its statements again.
      const begins =
        "SELECT setval('sends_seq', 1, false), setval('processes_id_seq', 1, false), setval('inbox_seq', 1, false)"
      await database.read([...empties, begins].join('; '))
      await setSchema(MIGRATIONS.length)
      if (!isOtherBuilds) unused.push(database)
    },
  }
}

const KEPT: Readonly<Record<string, string>> = { meta: "WHERE name NOT LIKE 'schema_%'" }

function viewOf(database: TestDatabase): View {
  const { read } = database
  return {
    lanes: async () =>
      (await read(`
        SELECT lane AS key, 'item' AS kind FROM work WHERE place < 2
        UNION SELECT lane, 'send' FROM sends WHERE place < 2 ORDER BY 1`)) as unknown as Awaited<
        ReturnType<View['lanes']>
      >,
    bodies: async () => (await read('SELECT 1 FROM contents WHERE body IS NOT NULL')).length,
    identityClaims: async () => (await read('SELECT 1 FROM inbox WHERE identity IS NOT NULL')).length,
    async statuses(of) {
      const rows = await read(
        `SELECT message FROM statuses WHERE ${of === 'sends' ? 'stray IS NULL' : 'stray = 1'} ORDER BY message`,
      )
      return rows.map((row) => row['message'] as string)
    },
    async windowOf(number, customer) {
      const [found] = await read('SELECT last_at FROM customers WHERE number = $1 AND customer = $2', [
        number,
        customer,
      ])
      return (found?.['last_at'] ?? undefined) as number | undefined
    },
    async snapshot() {
      const tables: { name: string; rows: Row[] }[] = []
      for (const name of Object.keys(TABLES).toSorted()) {
        const which = name === 'customers' ? `WHERE NOT ${forPostgres(KNOWS_NOTHING).text}` : ''
        tables.push({ name, rows: await read(`SELECT * FROM switchhook.${name} AS t ${which} ORDER BY t.*::text`) })
      }
      return tables
    },
  }
}

/** A store over a database or a pool of the app, until the running test ends. */
export async function opened(database: string | PostgresPool, o: Parameters<typeof openPostgres>[1] = {}) {
  const store = await openPostgres(database, o)
  onTestFinished(() => store.close())
  return store
}

/** A pool of the app, until the running test ends. */
export function ownPool(url: string, o: PoolConfig = {}): Pool {
  const pool = new Pool({ connectionString: url, ...o })
  onTestFinished(() => pool.end())
  return pool
}

/** The error of a start over a database that cannot serve. */
export const unavailable = (says: string) => ({
  code: 'store_unavailable',
  message: expect.stringContaining(says) as string,
})
