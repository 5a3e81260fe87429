import { EventEmitter, once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openPool } from '../../../src/store/postgres/pool.ts'
import { DatabaseFault } from '../../../src/store/postgres/server-faults.ts'
import { openConnection } from '../../../src/store/postgres/connection.ts'
import { openPostgres } from '../../../src/store/postgres/postgres-store.ts'
import type { Store } from '../../../src/store/store.ts'
import { openPlace, type TestDatabase } from '../postgres-backend.ts'
import { beginNew } from '../acts.ts'
import { BEGINS, claim, delivery, ingested, item, send, T0 } from '../samples.ts'
import { type FaultyLine, openFaultyLine } from '../../support/faulty-line.ts'

describe('a line to the database that breaks', () => {
  let place: Awaited<ReturnType<typeof openPlace>>
  let database: TestDatabase
  let line: FaultyLine
  let store: Store
  beforeEach(async () => {
    place = await openPlace()
    database = place.database
    line = await openFaultyLine(database.url)
    store = await openPostgres(line.url)
  })
  afterEach(async () => {
    line.repair()
    await store.close()
    await line[Symbol.asyncDispose]()
    await place.remove()
  })

  it('in a commit that was not answered: the delivery is stored once, and its item begun [R DEL-02]', async () => {
    void line.breakNext('answer lost')
    const first = delivery()
    const accepted = await store.accept(first, { ingested: ingested(item()), begin: BEGINS })
    expect(accepted).toMatchObject({ as: 'stored', seq: 1, started: { work: { attempt: 1 } } })
    expect(await database.read('SELECT id, repeats FROM inbox')).toEqual([{ id: 1, repeats: 0 }])
    expect((await store.accept(first)).as).toBe('duplicate')
  })

  it('in a commit whose answer is learned after its callers were refused: what it began begins again, and counts as no attempt [R DEL-03]', async () => {
    const cut = line.breakNext('answer lost').then(() => line.cut())
    const asked = store.accept(delivery(), { waitMs: 300, ingested: ingested(item()), begin: BEGINS })
    await expect(asked).rejects.toMatchObject({ code: 'store_unavailable' })
    await cut
    expect(await database.read('SELECT state FROM work')).toEqual([{ state: 'running' }])
    line.repair()
    await expect
      .poll(() => database.read('SELECT state, attempts FROM work'))
      .toEqual([{ state: 'stored', attempts: 0 }])
    expect((await store.claimItems(claim())).begun).toHaveLength(1)
  })

  it('before a commit came through: all of it is done again, and once [R DEL-02]', async () => {
    void line.breakNext('commit lost')
    const answers = await Promise.all([store.accept(delivery()), store.openSend(send())])
    expect(answers).toMatchObject([{ as: 'stored' }, { found: 'new' }])
    expect((await store.counts()).deliveries).toEqual({ stored: 1 })
    expect((await store.listSends({ limit: 9 })).sends).toHaveLength(1)
  })

  it('for long: a delivery is refused in time, and a settlement lands once the line is there again [F-58]', async () => {
    const { fence, item: begun } = await beginNew(store)
    line.cut()
    const settling = store.settleItem(fence, begun.id, { as: 'done' }, { now: T0, goOn: true })
    await expect(store.accept(delivery(), { waitMs: 300 })).rejects.toMatchObject({
      code: 'store_unavailable',
      message: expect.stringContaining('cannot be reached'),
    })
    line.repair()
    expect(await settling).toEqual({ stands: true, next: undefined })
    expect((await store.counts()).items).toEqual({ done: 1 })
  })

  it('for long, at the close: what must land is refused, and the close comes to its end', async () => {
    const { fence, item: begun } = await beginNew(store)
    line.cut()
    const settling = store.settleItem(fence, begun.id, { as: 'done' }, { now: T0, goOn: true })
    const closing = store.close()
    await expect(settling).rejects.toMatchObject({ code: 'store_unavailable' })
    await closing
  })
})

it('a server that ends a connection in the bytes that open it ends no process [R DEL-02]', async () => {
  const message = (type: string, ...parts: readonly (string | Buffer)[]) => {
    const body = Buffer.concat(parts.map((part) => Buffer.from(part)))
    const head = Buffer.from(`${type}....`)
    head.writeInt32BE(body.length + 4, 1)
    return Buffer.concat([head, body])
  }
  const isOpen = [message('R', Buffer.alloc(4)), message('Z', 'I')]
  const shutsDown = message('E', 'SFATAL\0C57P01\0Mterminating connection\0\0')
  const server = createServer((socket) => socket.once('data', () => socket.end(Buffer.concat([...isOpen, shutsDown]))))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const pool = await openPool(`postgres://bot:secret@127.0.0.1:${port}/bot?sslmode=disable`)
  await expect(openConnection(pool).then((connection) => connection.script('SELECT 1'))).rejects.toBeInstanceOf(
    DatabaseFault,
  )
  server.close()
})

it('a pool of the app hears of such ends once, however often a bot is started over it', async () => {
  const pool = Object.assign(new EventEmitter(), { connect: () => Promise.reject(new Error('no')) })
  for (let starts = 0; starts < 3; starts++) await (await openPool(pool)).close()
  expect(pool.listenerCount('connect')).toBe(1)
})
