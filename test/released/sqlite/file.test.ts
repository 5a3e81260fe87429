import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openSqlite } from '../../../src/stores/sqlite/index.ts'
import { readFixture, releases } from '../fixture.ts'
import { PEOPLE } from '../shop.ts'

it.for(releases)('a file of release %s opens, and as it is a copy its sends are held', async (release) => {
  const folder = mkdtempSync(join(tmpdir(), 'switchhook-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const { image, service } = readFixture(release)
  const file = join(folder, 'switchhook.db')
  writeFileSync(file, image)
  const store = openSqlite(file)
  onTestFinished(() => store.close())
  expect([store.isNew, store.restored?.why]).toEqual([false, 'brought'])
  expect((await store.counts()).items).toMatchObject({ dead: 1, parked: 1 })
  expect((await store.customerOf('default', PEOPLE.asked, service.time.wall)).session?.value).toBe('{"count":1}')
  expect(await store.pending(9, [])).toHaveLength(1)
})
