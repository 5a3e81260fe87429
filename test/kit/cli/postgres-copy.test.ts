import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, it, onTestFinished } from 'vitest'
import type { Store } from '../../../src/store/store.ts'
import { openPostgres } from '../../../src/store/postgres/postgres-store.ts'
import { openSqlite } from '../../../src/store/sqlite/sqlite-store.ts'
import { makeDatabase } from '../../store/postgres-backend.ts'
import { attempting, inboxOf, outboxOf } from '../../store/acts.ts'
import { ASHA, claim, delivery, send, T0 } from '../../store/samples.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { alone, arrived, DEAD, handle } from './inbox-support.ts'
import { switchhook } from './support.ts'

/** A file that a stopped bot has left, and a database of PostgreSQL without tables. */
async function openMove(fill: (store: Store) => Promise<void> = worked) {
  const folder = temporaryFolder()
  const file = join(folder, 'switchhook.db')
  const store = openSqlite(file)
  await store.secret('taps')
  await fill(store)
  await store.close()
  const target = await makeDatabase()
  return {
    file,
    ...target,
    copy: (...more: string[]) =>
      switchhook(['database', 'copy', '--from', file, '--to', target.url, ...more], {}, folder),
  }
}

/** Handled, dead and waiting messages; sends that are accepted, scheduled, ready and in the middle of an attempt. */
async function worked(store: Store): Promise<void> {
  await arrived(store, [alone()])
  await handle(store, DEAD)
  await store.accept(delivery())
  const accepted = send()
  const fence = await attempting(store, accepted)
  await store.settleSend(
    fence,
    accepted.id,
    { as: 'accepted', messageId: 'm1', upstreamId: 'u1', possiblyTwice: false },
    { now: T0, goOn: false },
  )
  await attempting(store, send({ lane: 'default/255712000102/out', customer: '255712000102' }))
  await store.openSend(send({ dueAt: T0 + 3_600_000 }))
  await store.openSend(send())
}

function noted(store: Store): Promise<void> {
  return store.addNote({ number: 'default', customer: ASHA }, { who: 'amina', note: 'calls back' }, T0)
}

async function opened<T extends Store>(store: T): Promise<T> {
  onTestFinished(() => store.close())
  return store
}

it('switchhook database copy copies all rows, and a bot continues with them: open sends keep their states, and new deliveries follow [R DEL-02]', async () => {
  const { file, url, copy } = await openMove()
  const before = await opened(openSqlite(file))
  const [inbox, outbox, counts] = [await inboxOf(before), await outboxOf(before), await before.counts()]
  await before.close()
  const { code, stderr } = await copy()
  expect([code, stderr]).toEqual([0, expect.stringContaining('Copied ')])
  const store = await opened(await openPostgres(url))
  expect(store.restored).toBeUndefined()
  expect(store.isNew).toBe(false)
  expect(await inboxOf(store)).toEqual(inbox)
  expect(await outboxOf(store)).toEqual(outbox)
  expect(await store.counts()).toEqual(counts)
  expect(
    (await store.claimSends(claim({ processName: 'two' }))).begun.map(({ work }) => work.send.state).sort(),
  ).toEqual(['attempting', 'ready'])
  const newest = Math.max(...inbox.map(({ seq }) => seq))
  expect((await store.accept(delivery())).seq).toBeGreaterThan(newest)
  await store.openSend(send({ id: 'last' }))
  expect((await outboxOf(store)).at(-1)).toMatchObject({ id: 'last' })
})

it('after a copy the database counts on: what a person notes next gets its own number', async () => {
  const { url, copy, read } = await openMove(async (store) => {
    for (let nth = 0; nth < 9; nth++) await noted(store)
  })
  expect((await copy()).code).toBe(0)
  const store = await opened(await openPostgres(url))
  await noted(store)
  expect(await read('SELECT max(seq)::int AS last, count(*)::int AS n FROM switchhook.notes')).toEqual([
    { last: 11, n: 10 },
  ])
})

it('after a copy the file starts with its sends held, because they go out from the copy', async () => {
  const { file, copy } = await openMove()
  expect((await copy()).code).toBe(0)
  const store = await opened(openSqlite(file))
  expect(store.restored).toEqual({ why: 'noticed', held: 3 })
})

it('a copy that PostgreSQL refuses leaves nothing there, and the next one copies everything', async () => {
  const { file, copy, read } = await openMove()
  const changed = openSqlite(file)
  await changed.openSend(send({ id: 'long', key: randomBytes(6_000).toString('base64') }))
  await changed.close()
  expect(await copy()).toMatchObject({ code: 1, stderr: expect.stringContaining('rows of sends could not be copied') })
  expect(await read("SELECT 1 FROM pg_namespace WHERE nspname = 'switchhook'")).toEqual([])
  const raw = new Database(file)
  raw.exec("DELETE FROM sends WHERE id = 'long'")
  raw.close()
  const { code, stdout } = await copy('--json')
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ tables: { sends: 4 } })
})

it('a copy is refused while a bot has the file open, works on the database, or has worked there', async () => {
  const { file, url, copy, read } = await openMove()
  const running = openSqlite(file)
  expect(await copy()).toMatchObject({ code: 4, stderr: expect.stringContaining('stop the bot') })
  await running.close()
  const store = await openPostgres(url)
  await expect.poll(() => read("SELECT 1 FROM pg_stat_activity WHERE query = 'LISTEN switchhook'")).not.toEqual([])
  expect(await copy()).toMatchObject({ code: 4, stderr: expect.stringContaining('stop that first') })
  await store.openSend(send())
  await store.close()
  expect(await copy()).toMatchObject({ code: 4, stderr: expect.stringContaining('a bot has worked in') })
  expect(await read('SELECT count(*) AS n FROM switchhook.sends')).toEqual([{ n: 1 }])
})

it('a copy from or into the tables of another unreleased build is refused, and neither side changes', async () => {
  const { file, url, copy, read } = await openMove()
  await (await openPostgres(url)).close()
  const refused = {
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^switchhook: .* written by an unreleased build/),
  }
  await read("UPDATE switchhook.meta SET value = 'f00d' WHERE name = 'schema_digest'")
  expect(await copy()).toMatchObject(refused)
  await read('DROP SCHEMA switchhook CASCADE')
  const raw = new Database(file)
  raw.exec("UPDATE meta SET value = 'f00d' WHERE name = 'schema_digest'")
  raw.close()
  expect(await copy()).toMatchObject(refused)
  expect(await read("SELECT 1 FROM pg_namespace WHERE nspname = 'switchhook'")).toEqual([])
})

it('U+0000 in a text becomes U+FFFD in the copy, as in everything that a bot stores there', async () => {
  const { file, copy, read } = await openMove(async (store) => {
    await store.openSend(send({ id: 'nul', ref: 'a\0b' }))
  })
  expect((await copy()).code).toBe(0)
  expect(await read("SELECT ref FROM switchhook.sends WHERE id = 'nul'")).toEqual([{ ref: 'a\uFFFDb' }])
  const raw = new Database(file, { readonly: true })
  expect(raw.prepare("SELECT ref FROM sends WHERE id = 'nul'").get()).toEqual({ ref: 'a\0b' })
  raw.close()
})
