import { Client } from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { monotonic, realTimers } from '../../../src/base/clock.ts'
import { createHistoryIndexes } from '../../../src/stores/postgres/history-indexes.ts'
import { openPostgres } from '../../../src/stores/postgres/index.ts'
import { interruptible } from '../../../src/stores/postgres/interruptible.ts'
import { patiently } from '../../../src/stores/postgres/patience.ts'
import { openPool } from '../../../src/stores/postgres/pool.ts'
import { makeDatabase, type TestDatabase } from '../postgres-backend.ts'
import { ASHA } from '../samples.ts'
import { WAITING } from './waiting.ts'

interface Process {
  /** As over tables that are large, unless `largeBytes` says so. */
  make(): Promise<void>
  /** As a stop does: it resolves once no connection is left. */
  close(): Promise<void>
  readonly said: string[]
  /** The number of times that it has begun to wait. */
  waited(): number
}

async function openDatabase() {
  const database = await makeDatabase()
  await (await openPostgres(database.url)).close()
  const found = () =>
    database.read(`
      SELECT relname AS name, indisvalid AS valid FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
      WHERE relname LIKE '%said%' ORDER BY 1`)
  return { ...database, found }
}

async function openProcess(url: string, { largeBytes = 0 } = {}): Promise<Process> {
  const pool = await openPool(url)
  const own = interruptible(pool)
  const said: string[] = []
  let waited = 0
  const timers = { after: (ms: number, run: () => void) => (waited++, realTimers.after(ms, run)) }
  const say = (line: string) => said.push(line)
  const indexes = createHistoryIndexes({ pool: own, timers, monotonic, say, largeBytes })
  let closing: Promise<void> | undefined
  const close = () => {
    indexes.close()
    own.interrupt()
    return (closing ??= pool.close())
  }
  onTestFinished(close)
  const patience = { timers: realTimers, monotonic, isClosed: () => closing !== undefined }
  return { make: () => patiently(indexes.make, patience), close, said, waited: () => waited }
}

/** Somebody writes into the tables, and an index waits for the end of that. */
async function openWriter(url: string): Promise<Client> {
  const writer = new Client({ connectionString: url, options: '-c search_path=switchhook' })
  await writer.connect()
  onTestFinished(() => writer.end())
  await writer.query('BEGIN; UPDATE items SET at = at')
  return writer
}

const making = ({ read }: Pick<TestDatabase, 'read'>) => read(`${WAITING} AND query LIKE 'CREATE INDEX%'`)

/** A role of this server that may enter this database. */
async function makeRole({ url, read }: TestDatabase, how = ''): Promise<{ name: string; url: string }> {
  const name = `role_${process.pid}_${performance.now().toString(36).replace('.', '_')}`
  await read(`CREATE ROLE ${name} LOGIN PASSWORD 'secret' ${how}`)
  onTestFinished(async () => void (await read(`DROP OWNED BY ${name}; DROP ROLE ${name}`)))
  return { name, url: Object.assign(new URL(url), { username: name, password: 'secret' }).href }
}

const BOTH = [
  { name: 'items_said', valid: true },
  { name: 'sends_said', valid: true },
]

it('indexes of a history over large tables are made by one of several processes, while others write', async () => {
  const { url, read, found } = await openDatabase()
  const processes = await Promise.all([1, 2, 3].map(() => openProcess(url)))
  const writer = await openWriter(url)
  const made = Promise.all(processes.map((each) => each.make()))
  await expect.poll(() => making({ read })).toHaveLength(1)
  await read("SET lock_timeout = '10s'; UPDATE items SET at = at")
  await writer.query('COMMIT')
  await made
  expect(await found()).toEqual(BOTH)
})

it('an index of a history that was left half made is made anew', async () => {
  const { url, found, read } = await openDatabase()
  const process = await openProcess(url)
  const writer = await openWriter(url)
  const made = process.make().catch(() => {})
  await expect.poll(() => making({ read })).toHaveLength(1)
  await read(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'CREATE INDEX%' AND datname = current_database()`,
  )
  await writer.query('COMMIT')
  await made
  // As a crash of the server leaves it.
  await read("UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'items_said'::regclass")
  await (await openProcess(url)).make()
  expect(await found()).toEqual(BOTH)
})

it('a stop waits for no index of a history: the server finishes it, and the next start waits for that', async () => {
  const { url, found, read } = await openDatabase()
  const [stopped, next] = await Promise.all([openProcess(url), openProcess(url)])
  const writer = await openWriter(url)
  const refused = expect(stopped.make()).rejects.toMatchObject({ code: 'store_unavailable' })
  await expect.poll(() => making({ read })).toHaveLength(1)
  await stopped.close()
  await refused
  const [begun] = await read("SELECT 'items_said'::regclass::oid AS oid")
  const made = next.make()
  await expect.poll(next.waited).toBeGreaterThan(1)
  await writer.query('COMMIT')
  await made
  expect(await found()).toEqual(BOTH)
  expect(await read("SELECT 'items_said'::regclass::oid AS oid")).toEqual([begun])
})

it('a stop of a store waits for no index of a history, nor for a process that makes one', async () => {
  const { url, read } = await openDatabase()
  await read("CREATE INDEX items_said ON items (number, customer, id) WHERE kind = 'message'")
  await read("UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'items_said'::regclass")
  await openWriter(url)
  const [one, two] = await Promise.all([openPostgres(url), openPostgres(url)])
  const asked = [one, two].map((store) => store.history({ number: 'default', customer: ASHA }, 1))
  const refused = Promise.all(asked.map((each) => expect(each).rejects.toMatchObject({ code: 'store_unavailable' })))
  await expect.poll(() => read(`${WAITING} AND query LIKE 'DROP INDEX%'`)).toHaveLength(1)
  await Promise.all([one.close(), two.close()])
  await refused
})

it('an index of a history takes longer than the role has time for statements and locks', async () => {
  const database = await openDatabase()
  const role = await makeRole(database, 'SUPERUSER')
  const times = await database.read(`
    SELECT name FROM pg_settings
    WHERE name IN ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout')`)
  for (const { name } of times) await database.read(`ALTER ROLE ${role.name} SET ${String(name)} = '300ms'`)
  const { make, said } = await openProcess(role.url)
  const writer = await openWriter(database.url)
  const made = make()
  await expect
    .poll(() => database.read(`${WAITING} AND query LIKE 'CREATE INDEX%' AND clock_timestamp() - query_start > '1s'`))
    .toHaveLength(1)
  await writer.query('COMMIT')
  await made
  expect(await database.found()).toEqual(BOTH)
  expect(said).toEqual([])
})

it.each([
  ['large', 0],
  ['small', 1e9],
])(
  'an index of a history over %s tables that the role may not make is told of once, with what to do',
  async (_, largeBytes) => {
    const database = await openDatabase()
    const role = await makeRole(database)
    await database.read(`
    GRANT USAGE ON SCHEMA switchhook TO ${role.name};
    GRANT ALL ON ALL TABLES IN SCHEMA switchhook TO ${role.name}; GRANT ALL ON ALL SEQUENCES IN SCHEMA switchhook TO ${role.name}`)
    const { make, said } = await openProcess(role.url, { largeBytes })
    const byHand =
      "CREATE INDEX CONCURRENTLY items_said ON switchhook.items (number, customer, id) WHERE kind = 'message'"
    for (let times = 1; times <= 2; times++)
      await expect(make()).rejects.toMatchObject({
        code: 'store_unavailable',
        message: expect.stringContaining(byHand),
      })
    expect(said).toEqual([expect.stringContaining(byHand)])
    await (await openProcess(database.url)).make()
    await make()
    const store = await openPostgres(role.url)
    onTestFinished(() => store.close())
    expect(await store.history({ number: 'default', customer: ASHA }, 1)).toEqual({ received: [], sent: [] })
  },
)

it('an index of a history that another user’s process makes is waited for, and not dropped', async () => {
  const database = await openDatabase()
  const { read } = database
  const owner = await makeRole(database)
  const [one, two] = [
    await makeRole(database, `IN ROLE ${owner.name}`),
    await makeRole(database, `IN ROLE ${owner.name}`),
  ]
  const tables = await read(
    "SELECT relname AS name FROM pg_class WHERE relnamespace = 'switchhook'::regnamespace AND relkind = 'r'",
  )
  await read(`GRANT ALL ON SCHEMA switchhook TO ${owner.name}`)
  for (const { name } of tables) await read(`ALTER TABLE switchhook.${String(name)} OWNER TO ${owner.name}`)
  const [first, second] = await Promise.all([openProcess(one.url), openProcess(two.url)])
  const writer = await openWriter(database.url)
  const closed = first.make().catch(() => {})
  await expect.poll(() => making(database)).toHaveLength(1)
  // Its connection is gone, and with it its turn.
  await first.close()
  await closed
  const [begun] = await read("SELECT 'items_said'::regclass::oid AS oid")
  const made = second.make()
  await expect.poll(second.waited).toBeGreaterThan(1)
  await writer.query('COMMIT')
  await made
  expect(await database.found()).toEqual(BOTH)
  expect(await read("SELECT 'items_said'::regclass::oid AS oid")).toEqual([begun])
})
