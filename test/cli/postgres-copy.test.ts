import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, it, onTestFinished } from 'vitest'
import type { Store } from '../../src/stores/port/index.ts'
import { openCopyTarget } from '../../src/stores/postgres/copy-target.ts'
import { openPostgres, openPostgresReader } from '../../src/stores/postgres/index.ts'
import { openCopySource } from '../../src/stores/sqlite/copy-source.ts'
import { openSqlite } from '../../src/stores/sqlite/index.ts'
import { makeDatabase } from '../stores/postgres-backend.ts'
import { attempting, claim, delivery, inboxOf, outboxOf, send, T0 } from '../stores/samples.ts'
import { alone, arrived, DEAD, handle } from './inbox-support.ts'
import { jsonLines, switchhook } from './support.ts'

/** A file that a stopped bot has left, and a database of PostgreSQL without tables. */
async function openMove(fill: (store: Store) => Promise<void> = worked) {
  const folder = mkdtempSync(join(tmpdir(), 'switchhook-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
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

async function opened<T extends Store>(store: T): Promise<T> {
  onTestFinished(() => store.close())
  return store
}

it('switchhook database copy brings all rows, and a bot goes on there: open sends keep their states, and what comes goes behind [R DEL-02]', async () => {
  const { file, url, copy } = await openMove()
  const before = await opened(openSqlite(file))
  const [inbox, outbox, counts] = [await inboxOf(before), await outboxOf(before), await before.counts()]
  await before.close()
  const { code, stderr } = await copy()
  expect([code, stderr]).toEqual([0, expect.stringContaining('All rows are the same.')])
  const store = await opened(await openPostgres(url))
  expect(store.restored).toBeUndefined()
  expect(store.isNew).toBe(false)
  expect(await inboxOf(store)).toEqual(inbox)
  expect(await outboxOf(store)).toEqual(outbox)
  expect(await store.counts()).toEqual(counts)
  expect((await store.claimSends(claim())).held.map(({ work }) => work.send.state).sort()).toEqual([
    'attempting',
    'ready',
  ])
  const newest = Math.max(...inbox.map(({ seq }) => seq))
  expect((await store.accept(delivery())).seq).toBeGreaterThan(newest)
  await store.openSend(send({ id: 'last' }))
  expect((await outboxOf(store)).at(-1)).toMatchObject({ id: 'last' })
})

it('after a copy the file starts with its sends held, since they go out from the copy', async () => {
  const { file, copy } = await openMove()
  expect((await copy()).code).toBe(0)
  const store = await opened(openSqlite(file))
  expect(store.restored).toEqual({ why: 'noticed', held: 3 })
})

it('a copy that was interrupted goes on where it stood, and until it has ended no bot starts over it', async () => {
  const { file, url, copy, read } = await openMove()
  const source = openCopySource(file)
  const target = await openCopyTarget(url, source)
  await target.begin()
  const sends = source.tables.find(({ name }) => name === 'sends')
  if (!sends) throw new Error('no table of sends')
  await target.write(sends, source.rows(sends, undefined).slice(0, 2))
  await target.close()
  source.close()
  await expect(openPostgres(url)).rejects.toMatchObject({
    code: 'store_unavailable',
    message: expect.stringContaining('database copy again'),
  })
  await expect(openPostgresReader(url)).rejects.toMatchObject({
    message: expect.stringContaining('database copy again'),
  })
  const { code, stderr } = await copy()
  expect([code, stderr]).toEqual([0, expect.stringContaining('the rest is copied')])
  expect(await read('SELECT count(*) AS n FROM switchhook.sends')).toEqual([{ n: 4 }])
  await opened(await openPostgres(url))
})

/** A copy that was interrupted behind its last row, before it compared. */
async function writeAllRows(file: string, url: string): Promise<void> {
  const source = openCopySource(file)
  const target = await openCopyTarget(url, source)
  await target.begin()
  for (const table of source.tables) await target.write(table, source.rows(table, undefined))
  await target.close()
  source.close()
}

it('a copy of the file as it was before somebody worked on it is begun anew', async () => {
  const { file, url, copy } = await openMove()
  await writeAllRows(file, url)
  const again = openSqlite(file)
  await again.accept(delivery())
  await again.close()
  const { code, stderr } = await copy()
  expect([code, stderr]).toEqual([0, expect.stringContaining('that part is removed')])
})

it('a copy whose rows are not the same says so and is not to be used', async () => {
  const { file, url, copy, read } = await openMove()
  await writeAllRows(file, url)
  await read("UPDATE switchhook.sends SET possibly_twice = 1 WHERE state = 'scheduled'")
  await read("UPDATE switchhook.contents SET body = 'x' WHERE place = (SELECT min(place) FROM switchhook.contents)")
  const { code, stdout } = await copy('--json')
  expect(code).toBe(1)
  expect(JSON.parse(stdout)).toMatchObject({ same: false, differing: ['contents', 'sends'] })
  await expect(openPostgres(url)).rejects.toMatchObject({ code: 'store_unavailable' })
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

it('a dry run counts and writes nothing, beside a running bot too; and names what PostgreSQL cannot hold as it is', async () => {
  const { file, copy, read } = await openMove()
  const running = await opened(openSqlite(file))
  await running.openSend(send({ ref: 'a\0b' }))
  await running.openSend(send({ key: 'k'.repeat(3_000) }))
  const { code, stdout } = await copy('--dry-run', '--json')
  expect(code).toBe(0)
  expect(jsonLines(stdout)).toContainEqual({ table: 'sends', rows: 6, withNul: 1, tooLong: 1 })
  expect(await read("SELECT 1 FROM pg_namespace WHERE nspname = 'switchhook'")).toEqual([])
  await running.close()
  expect(await copy()).toMatchObject({ code: 1, stderr: expect.stringContaining('1 of sends') })
})

it('U+0000 in a text is U+FFFD in the copy, as in all that a bot stores there', async () => {
  const { file, copy, read } = await openMove(async (store) => {
    await store.openSend(send({ id: 'nul', ref: 'a\0b' }))
  })
  expect((await copy()).code).toBe(0)
  expect(await read("SELECT ref FROM switchhook.sends WHERE id = 'nul'")).toEqual([{ ref: 'a\uFFFDb' }])
  const raw = new Database(file, { readonly: true })
  expect(raw.prepare("SELECT ref FROM sends WHERE id = 'nul'").get()).toEqual({ ref: 'a\0b' })
  raw.close()
})
