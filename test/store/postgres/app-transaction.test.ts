import { Client } from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { openPostgres } from '../../../src/store/postgres/postgres-store.ts'
import { makeDatabase, ownPool, type TestDatabase, usedDatabase } from '../postgres-backend.ts'
import { arrive, beginNew, dueSend } from '../acts.ts'
import { ACCEPTED, claim, HOUR, item, send, T0 } from '../samples.ts'
import { openOverPool } from './over-pool.ts'
import { WAITING } from './waiting.ts'

/** A store, and a connection of the app's own to its database. */
async function opened(made?: TestDatabase) {
  const database = made ?? (await usedDatabase())
  const store = await openPostgres(database.url)
  onTestFinished(() => store.close())
  return { ...database, store, client: await connected(database) }
}

async function connected({ url }: Pick<TestDatabase, 'url'>, user = {}) {
  const client = new Client({ connectionString: url, ...user })
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

const now = (given = {}) => ({ ...send(given), dueAt: T0 })

it('a send in a transaction of the app is found after its commit and not before, and a waiting worker is notified [R IDEM-01]', async () => {
  const { store, client } = await opened()
  const heard: string[] = []
  store.onWork((work) => heard.push(work))
  const one = now()
  await client.query('BEGIN')
  const recorded = await store.openSendIn(client, one)
  expect(recorded).toMatchObject({ found: 'new', send: { id: one.id, state: 'scheduled', dueAt: T0 } })
  expect(await store.findSend({ key: one.key })).toBeUndefined()
  expect((await store.claimSends(claim())).begun).toEqual([])
  expect(heard).toEqual([])
  await client.query('COMMIT')
  await expect.poll(() => heard).toEqual(['sends'])
  expect((await dueSend(store)).due.send).toMatchObject({ id: one.id, body: one.body, key: one.key })
})

it('a transaction of the app that is rolled back leaves nothing of its sends, and their keys free', async () => {
  const { store, client, read } = await opened()
  const one = now()
  await client.query('BEGIN')
  await store.openSendIn(client, one)
  await client.query('ROLLBACK')
  expect(await read('SELECT 1 FROM sends')).toEqual([])
  expect(await store.openSend(one)).toMatchObject({ found: 'new' })
})

it('a transaction of the app that stays open keeps nothing waiting: deliveries, sends, claims and settlements of that customer continue', async () => {
  const { store, faults, ...database } = await openOverPool()
  const client = await connected(database)
  const known = send()
  await store.openSend(known)
  const { fence } = await dueSend(store)
  await client.query('BEGIN')
  await store.openSendIn(client, now())
  // A known send, with other bytes, whose attempt is under way.
  expect(await store.openSendIn(client, now({ key: known.key }))).toMatchObject({ found: 'known', diverged: true })
  const { fence: another, item: begun } = await beginNew(store)
  await store.settleItem(another, begun.id, { as: 'done' }, { now: T0, goOn: true })
  await store.openSend(send())
  await store.settleSend(
    fence,
    known.id,
    { as: 'accepted', messageId: 'm1', upstreamId: undefined, possiblyTwice: false },
    { now: T0, goOn: true },
  )
  expect(faults, 'a wait for that transaction ends by the time-out of the lock').toEqual([])
  await client.query('COMMIT')
})

it('a send under a key that an open transaction of the app records waits for its end automatically, and then finds it', async () => {
  const { store, client } = await opened()
  const one = now()
  await client.query('BEGIN')
  await store.openSendIn(client, one)
  let answer: unknown
  const asked = store.openSend(send({ key: one.key, body: one.body })).then((found) => (answer = found))
  // All that shares a transaction with it continues.
  await Promise.all([store.openSend(send({ customer: '255712000102' })), arrive(store, [item()])])
  expect(answer).toBeUndefined()
  await client.query('COMMIT')
  await asked
  expect(answer).toMatchObject({ found: 'known', send: { id: one.id } })
})

it('two transactions of the app under one key record one send: the later one waits for the earlier, and is given it', async () => {
  const { store, client, read, url } = await opened()
  const other = await connected({ url })
  const one = now()
  await store.openSend(send())
  await client.query('BEGIN')
  await other.query('BEGIN')
  await store.openSendIn(client, one)
  const second = store.openSendIn(other, { ...now({ key: one.key, body: one.body }) })
  await expect.poll(() => read(WAITING)).toHaveLength(1)
  await client.query('COMMIT')
  expect(await second).toMatchObject({ found: 'known', diverged: false, send: { id: one.id } })
  // The lane of the customer is free meanwhile.
  expect((await dueSend(store)).due.send.key).not.toBe(one.key)
  await other.query('COMMIT')
})

it('a send that the store opens again meanwhile is known to a transaction of the app, which leaves the attempt alone', async () => {
  const { store, client } = await opened()
  const one = send()
  await store.openSend(one)
  await store.cancelSend(one.key, T0)
  let begun: Awaited<ReturnType<typeof dueSend>> | undefined
  const racing = {
    async query(query: string | { text: string }) {
      const text = typeof query === 'string' ? query : query.text
      if (/UPDATE\s+\S*sends/.test(text) && !begun) {
        await store.openSend(send({ key: one.key, body: '{"again":1}' }))
        begun = await dueSend(store)
      }
      return client.query(query)
    },
  }
  await client.query('BEGIN')
  const asked = now({ key: one.key, body: '{"repaired":1}' })
  expect(await store.openSendIn(racing, asked)).toMatchObject({ found: 'known', diverged: true })
  await client.query('COMMIT')
  const settled = begun && (await store.settleSend(begun.fence, one.id, ACCEPTED, { now: T0, goOn: false }))
  expect(settled).toMatchObject({ stands: true })
  expect((await store.claimSends(claim())).begun).toEqual([])
})

const at = (hours: number, given = {}) => ({ ...send({ moves: true, ...given }), dueAt: T0 + hours * HOUR })

it('a send is moved with a transaction of the app, with its text, or not at all', async () => {
  const { store, client } = await opened()
  const one = at(1)
  await store.openSend(one)
  for (const end of ['ROLLBACK', 'COMMIT']) {
    await client.query('BEGIN')
    const moved = await store.openSendIn(client, at(2, { key: one.key, body: '{"later":1}' }))
    expect(moved).toMatchObject({ found: 'reopened', moved: true, send: { id: one.id, dueAt: T0 + 2 * HOUR } })
    expect(await store.findSend({ key: one.key })).toMatchObject({ dueAt: one.dueAt, body: one.body })
    await client.query(end)
  }
  expect((await store.claimSends(claim({ serviceNow: T0 + HOUR }))).begun).toEqual([])
  expect((await dueSend(store, { serviceNow: T0 + 2 * HOUR })).due.send.body).toBe('{"later":1}')
})

it('a transaction of the app that moves a send and stays open keeps no claim waiting, and others go out meanwhile', async () => {
  const { store, faults, ...database } = await openOverPool()
  const client = await connected(database)
  const [one, other] = [at(1), at(1, { customer: '255712000102', lane: 'default/255712000102/out' })]
  for (const each of [one, other]) await store.openSend(each)
  await client.query('BEGIN')
  await store.openSendIn(client, at(3, { key: one.key }))
  expect((await dueSend(store, { serviceNow: T0 + 2 * HOUR })).due.send.id).toBe(other.id)
  expect(faults).toEqual([])
  await client.query('ROLLBACK')
  expect((await dueSend(store, { serviceNow: T0 + 2 * HOUR })).due.send).toMatchObject({ id: one.id, body: one.body })
})

it('a send that has come due while a transaction of the app wants to move it stays with all its parts, and the app hears so', async () => {
  const { store, client } = await opened()
  const one = at(1)
  const part = (nth: number) => ({ ...at(1), key: `${one.key}/${nth}`, part: { of: one.key, nth } })
  await store.openSend({ ...one, part: { of: one.key, nth: 1 }, later: [part(2), part(3)] })
  let due = 0
  const racing = {
    async query(query: string | { text: string }) {
      const text = typeof query === 'string' ? query : query.text
      if (/UPDATE\s+\S*sends/.test(text) && due++ === 0)
        await store.claimSends(claim({ serviceNow: T0 + HOUR, limit: 0 }))
      return client.query(query)
    },
  }
  await client.query('BEGIN')
  const moved = await store.openSendIn(racing, at(2, { key: one.key, body: one.body }))
  expect(moved).toMatchObject({ found: 'known', moved: false, send: { state: 'ready' }, later: [{}, {}] })
  await client.query('COMMIT')
  const { sends } = await store.listSends({ limit: 10 })
  expect(sends.map(({ state }) => state)).toEqual(['ready', 'ready', 'ready'])
})

it('two moves of one send end as the later of them in the database’s order', async () => {
  const { store, client, read } = await opened()
  const one = at(1)
  await store.openSend(one)
  await client.query('BEGIN')
  await store.openSendIn(client, at(2, { key: one.key, body: '{"first":1}' }))
  const second = store.openSend(at(3, { key: one.key, body: '{"second":1}' }))
  await expect.poll(() => read(WAITING)).toHaveLength(1)
  await client.query('COMMIT')
  expect(await second).toMatchObject({ moved: true })
  expect(await store.findSend({ key: one.key })).toMatchObject({ dueAt: T0 + 3 * HOUR, body: '{"second":1}' })
})

it('a send that was surely not sent is opened again in a transaction of the app', async () => {
  const { store, client } = await opened()
  const one = send()
  await store.openSend(one)
  await store.cancelSend(one.key, T0)
  await client.query('BEGIN')
  expect(await store.openSendIn(client, now({ key: one.key, body: '{"repaired":1}' }))).toMatchObject({
    found: 'reopened',
  })
  await client.query('COMMIT')
  expect((await dueSend(store)).due.send).toMatchObject({ id: one.id, body: '{"repaired":1}' })
})

it('the session of the app is unchanged: its search path, and its own tables of the same names', async () => {
  const { store, client } = await opened(await makeDatabase())
  await client.query('CREATE TABLE public.sends (mine text); CREATE TABLE public.work (mine text)')
  await client.query("BEGIN; SET LOCAL search_path = 'public'; SET LOCAL lock_timeout = '7s'")
  await store.openSendIn(client, now())
  await client.query("INSERT INTO sends VALUES ('x')")
  const { rows } = await client.query(
    "SELECT current_setting('search_path') AS path, current_setting('lock_timeout') AS wait",
  )
  expect(rows).toEqual([{ path: 'public', wait: '7s' }])
  await client.query('COMMIT')
  expect((await client.query('SELECT 1 FROM public.sends')).rowCount).toBe(1)
})

it('a client without a transaction is refused, and so is a pool: nothing is recorded', async () => {
  const { store, client, read, url } = await opened()
  const pool = ownPool(url)
  for (const without of [client, pool])
    await expect(store.openSendIn(without, now())).rejects.toMatchObject({
      code: 'options_invalid',
      message: expect.stringContaining('BEGIN on it first'),
    })
  expect(await read('SELECT 1 FROM sends')).toEqual([])
})

it('a client of another database is refused, though a bot works there too', async () => {
  const { store } = await opened()
  const elsewhere = await opened()
  await elsewhere.client.query('BEGIN')
  await expect(store.openSendIn(elsewhere.client, now())).rejects.toMatchObject({
    code: 'options_invalid',
    message: expect.stringContaining('another database'),
  })
  await elsewhere.client.query('COMMIT')
  expect(await elsewhere.read('SELECT 1 FROM sends')).toEqual([])
})
