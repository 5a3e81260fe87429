import { copyFileSync, linkSync, mkdirSync, readdirSync, renameSync, rmSync, truncateSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import Database from 'better-sqlite3'
import { openConnection } from '../../../src/stores/sqlite/connection.ts'
import { openSqlite } from '../../../src/stores/sqlite/index.ts'
import { watchFiles } from '../../../src/stores/sqlite/open-file.ts'
import type { Store } from '../../../src/stores/operations/store.ts'
import { arrive, begin, delivery, item, send, T0 } from '../samples.ts'
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
    await expect(store.renew([], () => T0, 1)).rejects.toMatchObject({ code: 'store_unavailable' })
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

describe('a log that is taken away while it is open', () => {
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

  const unavailable = (said: string) => ({ code: 'store_unavailable', message: expect.stringContaining(said) })
  const remove = (...suffixes: string[]) => suffixes.forEach((suffix) => rmSync(place.file + suffix))

  it.each([
    ['the log', () => remove('-wal')],
    ['the log and its index', () => remove('-wal', '-shm')],
    ['the index', () => remove('-shm')],
  ])(
    'is noticed before the next answer, and nothing is lost, before it or after: %s [R DEL-02, F-101]',
    async (_what, away) => {
      const acknowledged = await storeSome(20)
      away()
      await expect(store.accept(delivery())).rejects.toMatchObject(unavailable('what was in it is saved'))
      acknowledged.push(...(await storeSome(20)))
      expect(await leftByKill()).toEqual(acknowledged)
    },
  )

  it('is saved before the answer, if it goes during the commit, and said with the next one [R DEL-02, F-101]', async () => {
    const acknowledged = await storeSome(5)
    connections.afterCommit = () => remove('-wal')
    acknowledged.push(...(await storeSome(1)))
    expect(await leftByKill()).toEqual(acknowledged)
    await expect(store.accept(delivery())).rejects.toMatchObject(unavailable('what was in it is saved'))
  })

  it('waits until other processes are gone, since they may write into it: then all of theirs is saved too [R DEL-02, F-101]', async () => {
    const other = openSqlite(place.file)
    const acknowledged = [...(await storeSome(5)), ...(await storeSome(5, other))]
    remove('-wal', '-shm')
    for (const one of [store, other])
      await expect(one.accept(delivery())).rejects.toMatchObject(unavailable('another process uses it too'))
    await other.close()
    await expect(store.accept(delivery())).rejects.toMatchObject(unavailable('what was in it is saved'))
    acknowledged.push(...(await storeSome(5)))
    expect(await leftByKill()).toEqual(acknowledged)
  })

  it('takes no delivery beside a log that another has put there [R DEL-02, F-101]', async () => {
    await storeSome(5)
    copyFileSync(`${place.file}-wal`, `${place.file}-wal.copy`)
    renameSync(`${place.file}-wal.copy`, `${place.file}-wal`)
    await expect(store.accept(delivery())).rejects.toMatchObject(unavailable('another log than the one'))
  })

  it.each([
    ['it closes', async () => {}],
    [
      'its own log grows long',
      async () => {
        for (let written = 0; written < 4_000; written++) await store.renew([], () => T0 + written, 1)
      },
    ],
  ])('is not copied over what another process has stored beside it: %s [F-101]', async (_when, then) => {
    await storeSome(5)
    const elsewhere = join(place.folder, 'elsewhere.db')
    copyFileSync(place.file, elsewhere)
    const other = openSqlite(elsewhere)
    others.push(other)
    const acknowledged = await storeSome(5, other)
    copyFileSync(`${elsewhere}-wal`, `${place.file}-wal.copy`)
    renameSync(`${place.file}-wal.copy`, `${place.file}-wal`)
    await then()
    await store.close()
    expect(await leftByKill()).toEqual(acknowledged)
  })

  it.each([
    ['the log is emptied', () => truncateSync(`${place.file}-wal`)],
    ['the log is cut', () => truncateSync(`${place.file}-wal`, 20_000)],
  ])('takes no delivery any more if %s, and the next start holds its sends [R DEL-02, F-101]', async (_how, cut) => {
    await store.openSend(send())
    await store.compact()
    await storeSome(20)
    cut()
    for (let tried = 1; tried <= 2; tried++)
      await expect(store.accept(delivery())).rejects.toMatchObject(unavailable('was cut short'))
    await store.close()
    expect((await place.open()).restored).toEqual({ why: 'noticed', held: 1 })
  })

  it('takes no delivery any more if the database is cut [R DEL-02, F-101]', async () => {
    await storeSome(20)
    await store.compact()
    await storeSome(1)
    truncateSync(place.file, 8192)
    for (let tried = 1; tried <= 2; tried++)
      await expect(store.accept(delivery())).rejects.toMatchObject(unavailable('was cut short'))
  })

  it('takes none either if it is emptied during the commit [R DEL-02, F-101]', async () => {
    await storeSome(5)
    connections.afterCommit = () => truncateSync(`${place.file}-wal`)
    await expect(store.accept(delivery())).rejects.toMatchObject(unavailable('was cut short'))
  })

  it('takes deliveries after an operator has vacuumed the database, which makes it shorter [F-101]', async () => {
    await store.accept(delivery({ body: Buffer.alloc(400_000) }))
    await store.compact()
    await storeSome(1)
    const operator = new Database(place.file)
    operator.exec('UPDATE contents SET body = NULL; VACUUM')
    expect(operator.pragma('wal_checkpoint(TRUNCATE)')).toMatchObject([{ busy: 0 }])
    await storeSome(20)
    operator.close()
  })

  it('is not missed if another process truncates it, and writes, while its length is looked at [F-101]', async () => {
    const [looking, other] = [openConnection(place.file), openConnection(place.file)]
    const write = () =>
      other.raw.exec("INSERT INTO meta VALUES ('written', 1) ON CONFLICT DO UPDATE SET value = value + 1")
    let onState = () => {}
    const watched = watchFiles(place.file, { ...looking, sql: (text) => (onState(), looking.sql(text)) })
    write()
    expect(watched.look()).toBe('in place')
    other.raw.pragma('wal_checkpoint(TRUNCATE)')
    onState = () => {
      onState = () => {}
      write()
    }
    expect(watched.look()).toBe('in place')
    for (const connection of [looking, other]) connection.close()
  })

  it('closes although its database is gone and its last commit failed [F-54, F-102]', async () => {
    await storeSome(1)
    connections.failing = { code: 'SQLITE_IOERR', times: 1 }
    rmSync(place.file)
    await expect(store.accept(delivery())).rejects.toMatchObject({ code: 'store_unavailable' })
    await store.renew([], () => T0, 1).catch(() => {})
    await store.close()
    expect(connections.opened.filter(({ raw }) => raw.open)).toEqual([])
  })

  it('is not missed if another process truncates it, with all that is in it in the database [F-101]', async () => {
    const other = openSqlite(place.file)
    others.push(other)
    const acknowledged = await storeSome(20)
    expect(await other.compact()).toMatchObject({ whole: true, logBytes: 0 })
    acknowledged.push(...(await storeSome(1)), ...(await storeSome(20, other)), ...(await storeSome(1)))
    expect(await leftByKill()).toEqual(acknowledged)
  })

  /** Answers with the ids of what was acknowledged. */
  async function storeSome(count: number, into = store): Promise<string[]> {
    const some = Array.from({ length: count }, () => delivery())
    for (const one of some) expect((await into.accept(one)).as).toBe('stored')
    return some.map(({ deliveryId }) => deliveryId ?? '')
  }

  /** The deliveries that a start finds after this process was killed. */
  async function leftByKill(): Promise<string[]> {
    const folder = join(place.folder, 'left')
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder)
    const left = join(folder, 'switchhook.db')
    copyFileSync(place.file, left)
    copyFileSync(`${place.file}-wal`, `${left}-wal`)
    await openSqlite(left).close()
    return read(left, 'SELECT delivery_id FROM deliveries ORDER BY seq').map((row) => row['delivery_id'] as string)
  }
})
