import { expect, it } from 'vitest'
import type { Timers } from '../../../src/base/clock.ts'
import { MIGRATIONS } from '../../../src/store/database/schema.ts'
import { openPostgres } from '../../../src/store/postgres/postgres-store.ts'
import { makeDatabase, opened, ownPool, type TestDatabase, unavailable, usedDatabase } from '../postgres-backend.ts'
import { arrive, begin } from '../acts.ts'
import { claim, delivery, item, send, T0 } from '../samples.ts'

/** The server's processes for connections that listen. */
async function listening({ read }: TestDatabase): Promise<unknown[]> {
  const rows = await read(
    "SELECT pid FROM pg_stat_activity WHERE query = 'LISTEN switchhook' AND datname = current_database()",
  )
  return rows.map(({ pid }) => pid)
}

const NEWER = MIGRATIONS.length + 1

/** Pauses are over at once. */
const NO_WAIT: Timers = {
  after(ms, run) {
    if (ms < 1_000) setImmediate(run)
    return () => {}
  },
}

it('a first opening makes the schema, and the next one finds it', async () => {
  const database = await makeDatabase()
  expect((await opened(database.url)).isNew).toBe(true)
  expect((await opened(database.url)).isNew).toBe(false)
})

it('processes that open an empty database at once make its schema once', async () => {
  const database = await makeDatabase()
  const stores = await Promise.all(Array.from({ length: 4 }, () => opened(database.url)))
  expect(stores.filter(({ isNew }) => isNew)).toHaveLength(1)
})

it('a schema is made or changed however long that takes: an index of a large table takes minutes', async () => {
  const { url } = await makeDatabase()
  const pool = ownPool(url)
  const store = await openPostgres({
    async connect() {
      const client = await pool.connect()
      const query = client.query.bind(client) as (asked: { text: string; query_timeout?: number }) => Promise<unknown>
      // As the driver ends what takes longer than its caller waits.
      const slow = (asked: { text: string; query_timeout?: number }) =>
        /CREATE (TABLE|INDEX)/.test(asked.text) && asked.query_timeout !== undefined
          ? Promise.reject(new Error('Query read timeout'))
          : query(asked)
      return Object.assign(client, { query: slow })
    },
  })
  expect(store.isNew).toBe(true)
  await store.close()
})

it('a schema of another application is refused, and not changed', async () => {
  const database = await makeDatabase()
  await database.read('CREATE SCHEMA switchhook')
  await database.read('CREATE TABLE switchhook.work (place text)')
  await expect(openPostgres(database.url)).rejects.toMatchObject(unavailable("another application's"))
  expect(await database.read("SELECT tablename FROM pg_tables WHERE schemaname = 'switchhook'")).toHaveLength(1)
})

it('a database that cannot be opened is said by its code, and no password is shown', async () => {
  const { url } = await makeDatabase()
  const closed = new URL(url)
  closed.port = '1'
  const missing = Object.assign(new URL(url), { pathname: '/nowhere' })
  const wrong = Object.assign(new URL(url), { username: 'nobody', password: 'hunter2' })
  let minutes = 0
  for (const [address, says] of [
    [closed, 'cannot be reached (ECONNREFUSED)'],
    [missing, 'this database does not exist: create it first (3D000)'],
    [wrong, '(28'],
  ] as const) {
    const error: Error = await openPostgres(address.href, {
      monotonic: () => 60_000 * minutes++,
      timers: NO_WAIT,
    }).then(
      () => Promise.reject(new Error('opened')),
      (e: Error) => e,
    )
    expect(error).toMatchObject({ code: 'store_unavailable', message: expect.stringContaining(says) })
    expect(error.message).not.toMatch(/hunter2|password@|nowhere|nobody/)
  }
})

it('a database that a newer release has brought up to date is not opened [F-57]', async () => {
  const database = await usedDatabase()
  await opened(database.url)
  await database.read(`UPDATE switchhook.meta SET value = ${NEWER} WHERE name = 'schema_number'`)
  await expect(openPostgres(database.url)).rejects.toMatchObject({ code: 'store_newer' })
})

it('a database that was brought from another server holds its sends, and says so [F-94]', async () => {
  const database = await usedDatabase()
  await (await opened(database.url)).openSend(send())
  expect((await opened(database.url)).restored).toBeUndefined()
  await database.read("UPDATE switchhook.meta SET value = 1 WHERE name = 'cluster'")
  const brought = await opened(database.url)
  expect(brought.restored).toEqual({ why: 'brought', held: 1 })
  expect((await brought.claimSends(claim())).begun).toEqual([])
  await brought.resumeSends({ restored: true })
  expect((await brought.claimSends(claim())).begun).toHaveLength(1)
  expect((await opened(database.url)).restored).toBeUndefined()
})

it('the sends of a database that is declared a restored backup are held, more than fit into one transaction', async () => {
  const database = await usedDatabase()
  const store = await opened(database.url)
  await store.openSend(send())
  await database.read(`
    INSERT INTO switchhook.sends SELECT (jsonb_populate_record(s, jsonb_build_object('seq', s.seq + n, 'id', n, 'key', n, 'lane', n))).*
    FROM switchhook.sends AS s, generate_series(1, 299) AS n`)
  expect((await opened(database.url, { restored: true })).restored).toEqual({ why: 'asked', held: 300 })
  expect((await opened(database.url)).restored).toEqual({ why: 'earlier', held: 300 })
})

it('a pool of the app serves the store, whatever parsers the app has set, and stays open behind it', async () => {
  const { url } = await usedDatabase()
  const types = { getTypeParser: () => () => 'parsed by the app' }
  const pool = ownPool(url, { types })
  const store = await openPostgres(pool)
  await store.accept(delivery())
  expect((await store.unread(1))[0]).toMatchObject({ seq: 1, receivedAt: T0 })
  await store.close()
  expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 'parsed by the app' }])
})

it('temporary tables that the app left in a session of its pool take none of our rows [R DEL-02]', async () => {
  const database = await usedDatabase()
  await opened(database.url)
  const pool = ownPool(database.url, { max: 6 })
  const sessions = await Promise.all(Array.from({ length: 6 }, () => pool.connect()))
  for (const session of sessions) {
    await session.query('CREATE TEMP TABLE inbox (LIKE switchhook.inbox)')
    session.release()
  }
  const store = await openPostgres(pool)
  expect(await store.accept(delivery())).toMatchObject({ as: 'stored' })
  await store.close()
  expect(await database.read('SELECT count(*) AS n FROM switchhook.inbox')).toEqual([{ n: 1 }])
})

it('a connection that listens and breaks is replaced', async () => {
  const database = await usedDatabase()
  const store = await opened(database.url)
  await expect.poll(() => listening(database)).toHaveLength(1)
  const [before] = await listening(database)
  await database.read('SELECT pg_terminate_backend($1)', [before])
  await expect.poll(() => listening(database)).toEqual([expect.not.toBeOneOf([before])])
  expect((await store.accept(delivery())).as).toBe('stored')
})

it('U+0000 in a text becomes U+FFFD, and ends no look for work: no text of PostgreSQL holds it', async () => {
  const database = await usedDatabase()
  const store = await opened(database.url)
  const strange = 'a\u0000b'
  await arrive(store, [
    item({ number: strange, lane: `${strange}/status`, cause: { identity: undefined, signed: strange } }),
  ])
  const { item: begun } = await begin(store)
  expect(begun).toMatchObject({ number: 'a\uFFFDb', cause: 'a\uFFFDb' })
  expect((await store.claimItems(claim({ after: strange }))).begun).toEqual([])
})

it('what is acknowledged is on disk, though the database lets others wait for less [R DEL-02]', async () => {
  const database = await makeDatabase()
  await opened(database.url)
  const name = new URL(database.url).pathname.slice(1)
  await database.read(`
    ALTER DATABASE ${name} SET synchronous_commit = off;
    CREATE TABLE public.waited (setting text);
    CREATE FUNCTION public.note() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN INSERT INTO public.waited VALUES (current_setting('synchronous_commit')); RETURN NULL; END $$;
    CREATE TRIGGER note AFTER INSERT ON switchhook.inbox EXECUTE FUNCTION public.note()`)
  await (await opened(database.url)).accept(delivery())
  expect(await database.read('SELECT setting FROM public.waited')).toEqual([{ setting: 'on' }])
})

it('a start waits for a server that does not listen yet, and says so once', async () => {
  const server = await usedDatabase()
  const pool = ownPool(server.url)
  const said: string[] = []
  let refused = 0
  const store = openPostgres(
    {
      connect: () =>
        refused++ < 3
          ? Promise.reject(Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' }))
          : pool.connect(),
    },
    { say: (line) => void said.push(line), timers: NO_WAIT },
  )
  await (await store).close()
  expect(said).toMatchObject([expect.stringMatching(/tried again for a minute.*ECONNREFUSED/)])
})

it('a start over a server that may only read waits some seconds for a failover, and then says so', async () => {
  const { url, read } = await makeDatabase()
  await read(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET default_transaction_read_only = on`)
  let seconds = 0
  const start = openPostgres(url, { timers: NO_WAIT, monotonic: () => 1_000 * seconds++ })
  await expect(start).rejects.toMatchObject(unavailable('may only read (25006)'))
  expect(seconds).toBeLessThan(10)
})
