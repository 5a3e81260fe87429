import { Client } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Timers } from '../../../src/base/clock.ts'
import { copyInto } from '../../../src/store/postgres/copy-target.ts'
import type { PostgresClient, PostgresPool } from '../../../src/store/postgres/pool.ts'
import { openPostgres } from '../../../src/store/postgres/postgres-store.ts'
import { LOCK_WRITER } from '../../../src/store/postgres/transaction.ts'
import { makeDatabase, opened, ownPool, type TestDatabase, unavailable, usedDatabase } from '../postgres-backend.ts'
import { delivery } from '../samples.ts'

/** A role of the server that may connect, and the address under which it does. */
async function makeRole({ read, url }: TestDatabase): Promise<{ name: string; url: string }> {
  const name = `role_${process.pid}_${performance.now().toString(36).replace('.', '_')}`
  await read(`CREATE ROLE ${name} LOGIN PASSWORD 'hunter2'`)
  onTestFinished(async () => {
    await read(`DROP OWNED BY ${name} CASCADE; REASSIGN OWNED BY ${name} TO CURRENT_USER; DROP ROLE ${name}`)
  })
  return { name, url: Object.assign(new URL(url), { username: name, password: 'hunter2' }).href }
}

async function connected(url: string): Promise<Client> {
  const client = new Client(url)
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

describe('the lock of the writers', () => {
  it('is nothing that a role without rights to the bot’s tables can hold [R DEL-02]', async () => {
    const database = await usedDatabase()
    const store = await opened(database.url)
    const other = await connected((await makeRole(database)).url)
    await other.query('SELECT pg_advisory_lock(1400326251, 1)')
    await expect(other.query(`BEGIN; ${LOCK_WRITER}`)).rejects.toMatchObject({ code: '42501' })
    expect((await store.accept(delivery(), { waitMs: 4_000 })).as).toBe('stored')
  })

  it('goes out with the beginning of the transaction, and does not keep a dump waiting', async () => {
    const { url, read } = await usedDatabase()
    const asked: string[] = []
    const pool = over(url, (client) => ({
      query(query) {
        asked.push((query as { text: string }).text)
        return client.query(query)
      },
    }))
    const store = await opened(pool)
    await expect.poll(() => asked).toContain('LISTEN switchhook')
    asked.length = 0
    await read('BEGIN')
    await read('LOCK TABLE switchhook.writing, switchhook.inbox IN ACCESS SHARE MODE')
    await store.runsOf('work', 'nobody')
    await read('COMMIT')
    // BEGIN, the settings, what the transaction found, the one statement, its number, COMMIT.
    expect(asked).toHaveLength(6)
    expect(asked[0]).toMatch(/^BEGIN .*LOCK TABLE switchhook\.writing IN ROW SHARE MODE$/s)
  })

  it('is proven at the start: a server that accepts the words and locks nothing is refused [R DEL-02]', async () => {
    const { url } = await makeDatabase()
    const pool = over(url, (client) => ({
      query: (query: { text: string }) =>
        client.query({ ...query, text: query.text.replaceAll(/LOCK TABLE [^;]*/g, 'SELECT 1') }),
    }))
    await expect(openPostgres(pool)).rejects.toMatchObject(unavailable('does not hold locks'))
  })

  it('is proven at the start for rows too, which decide who has a customer [R DEL-02]', async () => {
    const { url } = await makeDatabase()
    const pool = over(url, (client) => ({
      query: (query: { text: string }) =>
        client.query({ ...query, text: query.text.replace(' FOR NO KEY UPDATE SKIP LOCKED', '') }),
    }))
    await expect(openPostgres(pool)).rejects.toMatchObject(unavailable('does not hold locks'))
  })

  it('is proven by another process that proves it at the same time', async () => {
    const { url, read } = await usedDatabase()
    await (await openPostgres(url)).close()
    await read('BEGIN')
    await read('LOCK TABLE switchhook.proving IN EXCLUSIVE MODE')
    expect((await (await opened(url)).accept(delivery())).as).toBe('stored')
    await read('COMMIT')
  })

  it('is not held beside the one of an older build: such a build finds no version, and this one refuses its tables', async () => {
    const { url, read } = await makeDatabase()
    await opened(url)
    expect(await read("SELECT value FROM switchhook.meta WHERE name = 'schema_version'")).toEqual([])
    const old = await makeDatabase()
    await old.read(`
      CREATE SCHEMA switchhook;
      CREATE TABLE switchhook.meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);
      INSERT INTO switchhook.meta VALUES ('schema_version', '1')`)
    await expect(openPostgres(old.url)).rejects.toMatchObject(unavailable('unreleased build'))
    expect(await old.read("SELECT tablename FROM pg_tables WHERE schemaname = 'switchhook'")).toHaveLength(1)
  })
})

/** A pool that does not say how many connections it gives. */
function over(url: string, changed: (client: PostgresClient) => Partial<PostgresClient>, max = 10): PostgresPool {
  const pool = ownPool(url, { max })
  return {
    async connect() {
      const client = await pool.connect()
      return {
        query: (query) => client.query(query),
        on: (event, listener) => client.on(event as 'error', listener),
        removeListener: (event, listener) => client.removeListener(event, listener),
        release: (destroy) => client.release(destroy),
        ...changed(client),
      }
    },
  }
}

describe('a pool of the app', () => {
  it.each([1, 2])('of %i is refused in words: all would wait for ever', async (max) => {
    const { url } = await makeDatabase()
    const pool = ownPool(url, { max, connectionTimeoutMillis: 500 })
    await expect(openPostgres(pool)).rejects.toMatchObject({
      code: 'options_invalid',
      message: expect.stringContaining('at least 3 connections'),
    })
  })

  it('that does not say its size and gives two is refused too, and gets them back', async () => {
    const { url } = await makeDatabase()
    const released: unknown[] = []
    const pool = over(
      url,
      (client) => ({
        release(destroy) {
          released.push(destroy)
          client.release(destroy)
        },
      }),
      2,
    )
    const due: (() => void)[] = []
    const timers: Timers = {
      after(_ms, run) {
        due.push(run)
        return () => {}
      },
    }
    const refused = expect(openPostgres(pool, { timers })).rejects.toMatchObject({ code: 'options_invalid' })
    await expect.poll(() => due).toHaveLength(1)
    released.length = 0
    due[0]?.()
    await refused
    await expect.poll(() => released.length).toBe(3)
  })

  it('of three serves: while it lists for long, it stores', async () => {
    const { url } = await usedDatabase()
    const pool = ownPool(url, { max: 3 })
    const store = await opened(pool)
    const lists = Promise.all(Array.from({ length: 8 }, () => store.counts()))
    expect((await store.accept(delivery())).as).toBe('stored')
    await lists
  })
})

describe('the owner of the schema', () => {
  /** An empty schema that a role has made in the database of the bot, who is no superuser and owns nothing. */
  async function schemaOf(makes: 'stranger' | 'group' | 'owner' | 'superuser') {
    const database = await makeDatabase()
    const { read } = database
    const [bot, other] = [await makeRole(database), await makeRole(database)]
    const [name] = (await read('SELECT current_database() AS name')).map((row) => String(row['name']))
    await read(`GRANT CREATE ON DATABASE ${name} TO ${bot.name}, ${other.name}`)
    await read(
      makes === 'superuser' ? 'CREATE SCHEMA switchhook' : `CREATE SCHEMA switchhook AUTHORIZATION ${other.name}`,
    )
    await read(
      `GRANT ALL ON SCHEMA switchhook TO ${bot.name}; GRANT EXECUTE ON FUNCTION pg_control_system() TO ${bot.name}`,
    )
    if (makes === 'group') await read(`GRANT ${other.name} TO ${bot.name}`)
    if (makes === 'owner') await read(`ALTER DATABASE ${name} OWNER TO ${other.name}`)
    onTestFinished(
      async () => void (await read(`DROP SCHEMA switchhook CASCADE; ALTER DATABASE ${name} OWNER TO CURRENT_USER`)),
    )
    return { ...database, bot, other }
  }
  const refusal = (owner: string) => ({
    code: 'store_unavailable',
    message: expect.stringMatching(
      new RegExp(`belongs to the role ${owner}.*schemaOwner \\(SWITCHHOOK_SCHEMA_OWNER\\)`),
    ),
  })

  it('must not be a stranger, who could drop what was acknowledged, unless the app trusts it by name', async () => {
    const { bot, other, read, url } = await schemaOf('stranger')
    await expect(openPostgres(bot.url)).rejects.toMatchObject(refusal(other.name))
    await expect(openPostgres(bot.url, { schemaOwner: 'another' })).rejects.toMatchObject(refusal(other.name))
    // To a superuser all roles seem its own.
    await expect(openPostgres(url)).rejects.toMatchObject(refusal(other.name))
    const copying = { copying() {}, beforeCommit() {} }
    await expect(copyInto(bot.url, [], copying)).rejects.toMatchObject(refusal(other.name))
    expect(await read("SELECT tablename FROM pg_tables WHERE schemaname = 'switchhook'")).toEqual([])
    expect((await opened(bot.url, { schemaOwner: other.name })).isNew).toBe(true)
  })

  it.each(['group', 'owner', 'superuser'] as const)('may be a role of this kind: %s', async (kind) => {
    const { bot } = await schemaOf(kind)
    expect((await opened(bot.url)).isNew).toBe(true)
  })

  it('is checked for its tables too', async () => {
    const { bot, other, read } = await schemaOf('superuser')
    await (await openPostgres(bot.url)).close()
    await read(`ALTER TABLE switchhook.inbox OWNER TO ${other.name}`)
    await expect(openPostgres(bot.url)).rejects.toMatchObject(refusal(other.name))
  })
})
