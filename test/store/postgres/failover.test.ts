import { EventEmitter } from 'node:events'
import { Client, Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { openPostgres } from '../../../src/store/postgres/postgres-store.ts'
import { openPool, type PostgresPool } from '../../../src/store/postgres/pool.ts'
import { openConnection } from '../../../src/store/postgres/connection.ts'
import { type OwnPostgres, startPostgres } from '../../support/own-postgres.ts'
import { delivery } from '../samples.ts'

/** Deliveries wait for so long: then the service gives up. */
const WAIT_MS = 4_000
const MOST = 20

let server: OwnPostgres
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server[Symbol.asyncDispose]())

/** Old sessions may only read, as those of a server that gave its role to another; new ones may write. */
async function failOver(old: Client): Promise<void> {
  await old.query('ALTER DATABASE postgres SET default_transaction_read_only = off')
  await old.query('ALTER SYSTEM SET default_transaction_read_only = on')
  await old.query('SELECT pg_reload_conf()')
  const setting = async () => (await old.query('SHOW default_transaction_read_only')).rows
  await expect.poll(setting).toEqual([{ default_transaction_read_only: 'on' }])
}

async function opened(over: (url: string) => string | PostgresPool) {
  const old = new Client(server.url)
  await old.connect()
  await old.query('DROP SCHEMA IF EXISTS switchhook CASCADE')
  const store = await openPostgres(over(server.url))
  onTestFinished(async () => {
    await store.close()
    const admin = new Client(server.url)
    await admin.connect()
    await admin.query('ALTER SYSTEM RESET default_transaction_read_only')
    await admin.query('ALTER DATABASE postgres RESET default_transaction_read_only')
    await admin.query('SELECT pg_reload_conf()')
    await admin.end()
    await old.end()
  })
  /** The bot's sessions: the server's processes. */
  const sessions = async () =>
    (
      await old.query(`
        SELECT pid FROM pg_stat_activity
        WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()`)
    ).rows.map(({ pid }) => pid as number)
  /** Opens as many connections as it may have, which are idle then. */
  const useAll = () => Promise.all(Array.from({ length: MOST }, () => store.unread(1)))
  return { store, old, sessions, useAll }
}

const POOLS = {
  'its own pool': (url: string) => url,
  'a pool of the app': (url: string) => {
    const pool = new Pool({ connectionString: url, max: MOST })
    onTestFinished(() => pool.end())
    return pool
  },
}

describe.each(Object.entries(POOLS))('over %s, after a failover', (_, over) => {
  it('connections that may only read are replaced by new ones, at once, and no delivery is refused [R DEL-02]', async () => {
    const { store, old, sessions, useAll } = await opened(over)
    await useAll()
    await expect.poll(async () => (await sessions()).length).toBeGreaterThan(5)
    const before = await sessions()
    await failOver(old)
    const stored = await Promise.all(Array.from({ length: 3 }, () => store.accept(delivery(), { waitMs: WAIT_MS })))
    expect(stored.map(({ as }) => as)).toEqual(['stored', 'stored', 'stored'])
    await useAll()
    await expect.poll(async () => (await sessions()).filter((pid) => before.includes(pid))).toEqual([])
  })
})

/** A pool with one connection after the other; each of those that wait has been used before. */
function poolOfFakes(fails: { code?: string; severity?: string }) {
  const made: { name: string; destroyed: boolean | undefined }[] = []
  const idle: PostgresPool['connect'] extends () => Promise<infer Client> ? Client[] : never = []
  const make = () => {
    const one = { name: `${made.length + 1}`, destroyed: undefined as boolean | undefined }
    made.push(one)
    const client: (typeof idle)[number] = {
      query: ({ text }: { text: string }) =>
        text === 'fails' ? Promise.reject(Object.assign(new Error('no'), fails)) : Promise.resolve({ rows: [one] }),
      on: () => {},
      removeListener: () => {},
      release(destroy = false) {
        one.destroyed = destroy
        if (!destroy) idle.push(client)
      },
    }
    return client
  }
  return { made, pool: { connect: async () => idle.pop() ?? make() } }
}

const OF_THE_CONNECTION = ['08003', '08006', '25006', '25P03', '57P01', '57P02', '57P03', '57P04', '57P05', undefined]

it.each(OF_THE_CONNECTION)(
  'a connection that fails with %s is destroyed, and no other one of its time is used again [R DEL-02]',
  async (code) => {
    const { made, pool: given } = poolOfFakes(code === undefined ? {} : { code, severity: 'FATAL' })
    const pool = await openPool(given)
    const [first, second] = await Promise.all([openConnection(pool), openConnection(pool)])
    second.release()
    await expect(first.script('fails')).rejects.toThrow()
    first.release()
    const next = await openConnection(pool)
    expect(await next.script('SELECT')).toEqual([{ name: '3', destroyed: undefined }])
    next.release()
    expect(made.map(({ destroyed }) => destroyed)).toEqual([true, true, false])
  },
)

it.each([
  ['are not used again either [R DEL-02]', true],
  ['may be used again if the pool does not say which connections it opens', false],
])('connections that the app had opened before the bot came %s', async (_, speaks) => {
  const { made, pool: fakes } = poolOfFakes({ code: '25006', severity: 'ERROR' })
  const app = await Promise.all([fakes.connect(), fakes.connect(), fakes.connect()])
  for (const client of app) client.release()
  const emitter = Object.assign(new EventEmitter(), {
    async connect() {
      const client = await fakes.connect()
      if (made.length > app.length && speaks) emitter.emit('connect', client)
      return client
    },
  })
  const pool = await openPool(emitter)
  const first = await openConnection(pool)
  await expect(first.script('fails')).rejects.toThrow()
  first.release()
  const next = await openConnection(pool)
  const [used] = await next.script('SELECT')
  expect(used).toMatchObject({ destroyed: undefined })
  if (speaks) expect(used).toMatchObject({ name: '4' })
})

it.each(['23505', '40001', '53300', '55P03', '57014'])(
  'a connection on which a statement fails with %s is used again',
  async (code) => {
    const { made, pool: given } = poolOfFakes({ code, severity: 'ERROR' })
    const pool = await openPool(given)
    const connection = await openConnection(pool)
    await expect(connection.script('fails')).rejects.toThrow()
    connection.release()
    ;(await openConnection(pool)).release()
    expect(made.map(({ destroyed }) => destroyed)).toEqual([false])
  },
)
