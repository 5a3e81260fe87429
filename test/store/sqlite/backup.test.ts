import {
  closeSync,
  copyFileSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { beforeEach, describe, expect, it } from 'vitest'
import { backUp } from '../../../src/store/sqlite/backup.ts'
import { openSqlite } from '../../../src/store/sqlite/sqlite-store.ts'
import { MIGRATIONS } from '../../../src/store/database/schema.ts'
import { delivery, idOf, send } from '../samples.ts'
import { read } from '../sqlite-backend.ts'
import { ownPlace } from './own-place.ts'

describe('a backup', () => {
  let place: ReturnType<typeof ownPlace>
  let backup: string
  beforeEach(() => {
    place = ownPlace()
    backup = join(place.folder, 'backup.db')
  })

  /** So many that the copying takes several turns of the event loop. */
  const LARGE = 'x'.repeat(60_000)
  const BEFORE = 300

  it('of a database that is written to meanwhile has all that was acknowledged before it began, and no half of the rest', async () => {
    const store = await place.open()
    const accept = (n: number) => store.accept(delivery({ deliveryId: idOf(n), text: `${n} ${LARGE}` }))
    for (let n = 0; n < BEFORE; n++) await accept(n)
    await store.openSend(send({ lane: 'a' }))
    let isDone = false
    const backingUp = backUp(place.file, backup).finally(() => (isDone = true))
    let stored = BEFORE
    while (!isDone) await accept(stored++)
    const { rows } = await backingUp
    expect(stored).toBeGreaterThan(BEFORE + 1)

    const kept = read(backup, 'SELECT delivery_id FROM inbox WHERE idx = 0 ORDER BY id').map(
      (row) => row['delivery_id'],
    )
    expect(kept.slice(0, BEFORE)).toEqual(Array.from({ length: BEFORE }, (_, n) => idOf(n)))
    expect(kept).toEqual(Array.from({ length: kept.length }, (_, n) => idOf(n)))
    expect(rows).toBeGreaterThan(kept.length)
    expect(readdirSync(place.folder).filter((name) => name.startsWith('backup'))).toEqual(['backup.db'])
    expect(statSync(backup).mode & 0o777).toBe(0o600)
  })

  it('begins with its open sends held, also over the file itself', async () => {
    const store = await place.open()
    await store.openSend(send({ lane: 'a' }))
    await backUp(place.file, backup)
    await store.close()
    writeFileSync(place.file, readFileSync(backup))
    const restored = openSqlite(place.file)
    expect(restored.restored).toMatchObject({ held: 1 })
    await restored.close()
  })

  it.each<[string, () => void]>([
    ['copied over it', () => copyFileSync(backup, place.file)],
    ['moved to its place', () => renameSync(backup, place.file)],
  ])(
    '%s while its log is there is refused, unchanged, until that log is moved away [R DEL-02, F-54]',
    async (_how, bring) => {
      let now = 0
      const store = openSqlite(place.file, { monotonic: () => now })
      let n = 0
      const accept = () => store.accept(delivery({ text: `${n++} ${LARGE}` }))
      await accept()
      await backUp(place.file, backup)
      const kept = readFileSync(backup)
      while (n < 20) await accept()
      await store.compact()
      await accept()
      copyFileSync(`${place.file}-wal`, `${backup}.log`)
      bring()
      const refusal = {
        code: 'store_unavailable',
        message: expect.stringMatching(/is a backup, and \S+-wal is the log .* move that log and \S+-shm away/),
      }
      await expect(accept()).rejects.toMatchObject(refusal)
      copyFileSync(`${backup}.log`, `${place.file}-wal`)
      expect(() => openSqlite(place.file)).toThrow(expect.objectContaining(refusal))
      expect(readFileSync(place.file).equals(kept)).toBe(true)
      for (const suffix of ['-wal', '-shm']) rmSync(place.file + suffix, { force: true })
      now += 5_000
      expect((await accept()).as).toBe('stored')
      expect(read(place.file, 'SELECT 1 FROM inbox WHERE idx = 0')).toHaveLength(2)
      await store.close()
    },
  )

  it('is not written over anything, and leaves nothing behind where it fails', async () => {
    await (await place.open()).close()
    writeFileSync(backup, 'an older one')
    await expect(backUp(place.file, backup)).rejects.toMatchObject({ code: 'options_invalid' })
    expect(readFileSync(backup, 'utf8')).toBe('an older one')
    await expect(backUp(place.file, join(place.folder, 'nowhere', 'backup.db'))).rejects.toMatchObject({
      code: 'store_unavailable',
    })
    await expect(backUp(join(place.folder, 'other.db'), `${backup}.2`)).rejects.toThrow('there is no database')
    expect(readdirSync(place.folder).filter((name) => name.startsWith('backup'))).toEqual(['backup.db'])
  })

  it.each([
    ['an older', -1],
    ['a newer', 1],
  ])('is made of a database of %s release too, since it comes before an upgrade', async (_which, apart) => {
    const store = await place.open()
    await store.accept(delivery())
    await store.close()
    await place.setSchema(MIGRATIONS.length + apart)
    await backUp(place.file, backup)
    expect(read(backup, 'PRAGMA user_version')).toEqual([{ user_version: MIGRATIONS.length + apart }])
    expect(read(backup, 'SELECT * FROM inbox WHERE idx = 0')).toHaveLength(1)
  })

  it('of a damaged database is none', async () => {
    const store = await place.open()
    for (let n = 0; n < 50; n++) await store.accept(delivery({ deliveryId: idOf(n) }))
    await store.close()
    copyFileSync(place.file, `${place.file}.whole`)
    damageIndexOf(place.file, 'inbox')
    await expect(backUp(place.file, backup)).rejects.toThrow(/damaged/)
    expect(readdirSync(place.folder).filter((name) => name.startsWith('backup'))).toEqual([])
    await backUp(`${place.file}.whole`, backup)
  })
})

/** Changes the last byte of an index's first page, which is a key that a row has. */
function damageIndexOf(file: string, table: string): void {
  const raw = new Database(file)
  const page = raw
    .prepare<[string], number>("SELECT rootpage FROM sqlite_schema WHERE type = 'index' AND tbl_name = ? LIMIT 1")
    .pluck()
    .get(table)
  const size = raw.pragma('page_size', { simple: true }) as number
  raw.close()
  const handle = openSync(file, 'r+')
  writeSync(handle, Buffer.from('#'), 0, 1, (page ?? 0) * size - 3)
  closeSync(handle)
}
