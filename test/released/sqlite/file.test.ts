import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, it, onTestFinished } from 'vitest'
import { type Connection, connectionOf, openConnection } from '../../../src/stores/sqlite/connection.ts'
import { openSqlite } from '../../../src/stores/sqlite/index.ts'
import { migrate } from '../../../src/stores/sqlite/migrate.ts'
import { readFixture, releases, version } from '../fixture.ts'
import { PEOPLE } from '../shop.ts'

const schemaOf = ({ raw }: Connection) => raw.prepare('SELECT sql FROM sqlite_schema ORDER BY name').pluck().all()

it('the kept database of the version that is being made has its schema', () => {
  if (!releases.includes(version)) return
  const made = openConnection(':memory:')
  migrate(made, ':memory:')
  const kept = connectionOf(new Database(readFixture(version).image))
  const sentence =
    'The schema has changed since the database of this version was made: `npm run fixture` makes it again'
  expect(schemaOf(kept), sentence).toEqual(schemaOf(made))
})

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
  expect((await store.customerOf('default', PEOPLE.asked, service.at)).session?.value).toBe('{"count":1}')
  expect(await store.pending(9)).toHaveLength(1)
})
