import { linkSync, mkdirSync, readdirSync, renameSync, rmSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openSqlite } from '../../../src/stores/sqlite/index.ts'
import type { Store } from '../../../src/stores/port/index.ts'
import { arrive, begin, delivery, item, T0 } from '../samples.ts'
import { placeOnDisk, read } from '../sqlite-backend.ts'
import { type Connections, countedConnections } from './connections.ts'

describe('a file that is taken away while it is open', () => {
  let place: ReturnType<typeof placeOnDisk>
  let connections: Connections
  let store: Store
  const others: Store[] = []
  beforeEach(() => {
    place = placeOnDisk()
    connections = countedConnections()
    store = openSqlite(place.file, { connect: connections.connect })
  })
  afterEach(async () => {
    await Promise.all([store, ...others.splice(0)].map((one) => one.close()))
    await place.remove()
  })

  const refused = () => ({
    code: 'store_unavailable',
    message: expect.stringContaining(`${place.file} was removed or replaced while it was open`),
  })
  const emptied = () => {
    for (const name of readdirSync(place.folder)) unlinkSync(join(place.folder, name))
  }
  const turn = () => new Promise(setImmediate)

  it.each([
    ['it is removed', () => rmSync(place.file)],
    ['its folder is emptied', () => emptied()],
    ['it is moved away', () => renameSync(place.file, `${place.file}.old`)],
  ])('takes no delivery any more, since nothing of it would be left: %s [R DEL-02, F-54]', async (_how, away) => {
    expect((await store.accept(delivery())).as).toBe('stored')
    await turn()
    away()
    await expect(store.accept(delivery())).rejects.toMatchObject(refused())
  })

  it('takes none either if another process has begun a new file in its place, which stores its own [R DEL-02, F-54]', async () => {
    await store.accept(delivery())
    rmSync(place.folder, { recursive: true })
    mkdirSync(place.folder)
    const newer = openSqlite(place.file)
    others.push(newer)
    await turn()
    await expect(store.accept(delivery())).rejects.toMatchObject(refused())
    expect((await newer.accept(delivery())).as).toBe('stored')
  })

  it('lets what was acknowledged before be handled to its end [F-54]', async () => {
    await arrive(store, [item()])
    rmSync(place.file)
    const { fence, item: begun } = await begin(store)
    const settled = await store.settleItem(fence, begun.id, { as: 'done' }, { now: T0, goOn: true })
    expect(settled).toMatchObject({ held: true })
  })

  it('begins no new file after a failed commit, and goes on if the old one is put back [F-54]', async () => {
    await store.accept(delivery())
    linkSync(place.file, `${place.file}.kept`)
    rmSync(place.file)
    connections.failing = { code: 'SQLITE_IOERR', times: 1 }
    await expect(store.renew([], T0, 1)).rejects.toMatchObject({ code: 'store_unavailable' })
    expect(readdirSync(place.folder)).not.toContain('switchhook.db')
    renameSync(`${place.file}.kept`, place.file)
    await turn()
    expect((await store.accept(delivery())).as).toBe('stored')
  })

  it('is opened anew in its place, though the process has changed its folder [F-54]', async () => {
    const before = process.cwd()
    const elsewhere = join(place.folder, 'elsewhere')
    mkdirSync(elsewhere)
    process.chdir(place.folder)
    try {
      const relative = openSqlite('relative.db', { connect: connections.connect })
      others.push(relative)
      process.chdir(elsewhere)
      connections.failing = { code: 'SQLITE_IOERR', times: 1 }
      await expect(relative.accept(delivery())).rejects.toMatchObject({ code: 'store_unavailable' })
      await turn()
      expect((await relative.accept(delivery())).as).toBe('stored')
      await relative.compact()
      expect(readdirSync(elsewhere)).toEqual([])
    } finally {
      process.chdir(before)
    }
    expect(read(join(place.folder, 'relative.db'), 'SELECT state FROM deliveries')).toEqual([{ state: 'stored' }])
  })
})
