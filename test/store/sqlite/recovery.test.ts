import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  truncateSync,
  unlinkSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import Database from 'better-sqlite3'
import { openSqlite } from '../../../src/store/sqlite/sqlite-store.ts'
import type { Store } from '../../../src/store/store.ts'
import { arrive, beginNew } from '../acts.ts'
import { claim, delivery, DONE, item, send, T0 } from '../samples.ts'
import { read } from '../sqlite-backend.ts'
import { openWatched, type Watched } from './own-place.ts'

const NEXT = { now: T0, goOn: true }
const ACCEPTED = { as: 'accepted', messageId: 'm1', upstreamId: 'u1', possiblyTwice: false } as const

describe('a database that cannot be trusted any more', () => {
  let place: Watched['place']
  let connections: Watched['connections']
  let time: Watched['time']
  let told: string[]
  let store: Store
  let open: Watched['open']
  beforeEach(() => {
    told = []
    ;({ place, connections, time, store, open } = openWatched((line) => told.push(line)))
  })
  const log = () => `${place.file}-wal`
  const remove = (...suffixes: string[]) => suffixes.forEach((suffix) => rmSync(place.file + suffix))
  const unavailable = (said: string) => ({ code: 'store_unavailable', message: expect.stringContaining(said) })
  const refused = (said: string, by = store) => expect(by.accept(delivery())).rejects.toMatchObject(unavailable(said))
  const turn = () => new Promise(setImmediate)

  describe('since its log was taken away', () => {
    it.each([
      ['the log', ['-wal']],
      ['the log and its index', ['-wal', '-shm']],
      ['the index', ['-shm']],
    ])(
      'is started again at the next commit, loses nothing and says it once: %s [R DEL-02, F-101]',
      async (_what, gone) => {
        const acknowledged = await storeSome(20)
        remove(...gone)
        acknowledged.push(...(await storeSome(20)))
        expect(await leftByKill()).toEqual(acknowledged)
        expect(told).toEqual([expect.stringContaining('lost its log')])
      },
    )

    it('is started again at the next commit, if the log goes during a commit [R DEL-02, F-101]', async () => {
      const acknowledged = await storeSome(5)
      connections.afterCommit = () => remove('-wal')
      acknowledged.push(...(await storeSome(2)))
      expect(await leftByKill()).toEqual(acknowledged)
    })

    it('refuses deliveries until it is alone, since others may write to that log: then all of theirs are saved too [R DEL-02, F-101]', async () => {
      const other = open(place.file)
      const acknowledged = [...(await storeSome(5)), ...(await storeSome(5, other))]
      remove('-wal', '-shm')
      for (const one of [store, other]) await refused('another process uses it too', one)
      await other.close()
      await refused('another process uses it too')
      time.pass(5_000)
      acknowledged.push(...(await storeSome(5)))
      expect(await leftByKill()).toEqual(acknowledged)
    })

    it.each([
      ['it closes', () => store.close()],
      ['the next commit', () => store.renew('one', () => T0, 1)],
      ['its own log grows long', () => Promise.resolve()],
    ])('copies nothing over another log that stands there: %s [F-101]', async (_when, then) => {
      await storeSome(5)
      const elsewhere = join(place.folder, 'elsewhere.db')
      copyFileSync(place.file, elsewhere)
      const other = open(elsewhere)
      const acknowledged = await storeSome(5, other)
      connections.afterCommit = () => {
        copyFileSync(`${elsewhere}-wal`, `${log()}.copy`)
        renameSync(`${log()}.copy`, log())
      }
      // One commit of more frames than a long log has.
      await Promise.all(Array.from({ length: 100 }, () => store.accept(delivery({ body: Buffer.alloc(200_000) }))))
      await turn()
      await then()
      expect(await leftByKill()).toEqual(acknowledged)
    })
  })

  describe('since it was cut', () => {
    it.each([
      ['the log is emptied', () => truncateSync(log())],
      ['the log is cut', () => truncateSync(log(), 20_000)],
      ['another log is in its place', () => (copyFileSync(log(), `${log()}.copy`), renameSync(`${log()}.copy`, log()))],
    ])('continues from what is left, with its sends held, and says so: %s [R DEL-02, F-101]', async (_how, cut) => {
      await store.openSend(send())
      await store.compact()
      await storeSome(20)
      cut()
      await storeSome(1)
      expect((await store.claimSends(claim())).begun).toEqual([])
      expect(told).toEqual([expect.stringMatching(/cut short|another log/), expect.stringContaining('outbox resume')])
    })

    it('is opened again by one process after the other, if two have its log open [R DEL-02, F-55, F-101]', async () => {
      const other = open(place.file)
      await storeSome(20)
      truncateSync(log())
      await refused('was cut short')
      await storeSome(1, other)
      time.pass(5_000)
      await storeSome(1)
      expect(read(place.file, 'PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }])
    })

    it('refuses everything while its pages are missing, and accepts deliveries when it is back [R DEL-02, F-101]', async () => {
      await storeSome(20)
      await store.compact()
      await storeSome(1)
      copyFileSync(place.file, `${place.file}.kept`)
      truncateSync(place.file, 8192)
      await refused('was cut short')
      await expect(store.counts()).rejects.toMatchObject(unavailable('was cut short'))
      renameSync(`${place.file}.kept`, place.file)
      await refused('was cut short')
      time.pass(5_000)
      await storeSome(1)
      expect(read(place.file, 'SELECT 1 FROM inbox WHERE idx = 0')).toHaveLength(22)
      expect(told[0]).toContain('was cut short')
    })

    it('is not suspected if an operator vacuums it, which makes it shorter [F-101]', async () => {
      await store.accept(delivery({ body: Buffer.alloc(400_000) }))
      await store.compact()
      await storeSome(1)
      const operator = new Database(place.file)
      operator.exec('UPDATE contents SET body = NULL; VACUUM')
      expect(operator.pragma('wal_checkpoint(TRUNCATE)')).toMatchObject([{ busy: 0 }])
      await storeSome(20)
      operator.close()
      expect(told).toEqual([])
    })

    it('is not suspected if another process truncates the log, with all that is in it in the database [F-101]', async () => {
      const other = open(place.file)
      const acknowledged = await storeSome(20)
      expect(await other.compact()).toMatchObject({ whole: true, logBytes: 0 })
      acknowledged.push(...(await storeSome(1)), ...(await storeSome(20, other)), ...(await storeSome(1)))
      expect(await leftByKill()).toEqual(acknowledged)
      expect(told).toEqual([])
    })
  })

  describe('since it is not in its place', () => {
    it.each([
      ['it is removed', () => rmSync(place.file)],
      [
        'its folder is emptied',
        () => readdirSync(place.folder).forEach((name) => unlinkSync(join(place.folder, name))),
      ],
      ['it is moved away', () => renameSync(place.file, `${place.file}.old`)],
    ])('refuses deliveries, and begins no item and no send: %s [R DEL-02, F-54]', async (_how, away) => {
      await arrive(store, [item()])
      await store.openSend(send())
      away()
      const gone = unavailable('was removed or replaced while it was open')
      for (let tried = 1; tried <= 2; tried++) {
        await refused('was removed or replaced while it was open')
        await expect(store.claimItems(claim())).rejects.toMatchObject(gone)
        await expect(store.claimSends(claim())).rejects.toMatchObject(gone)
        await expect(store.openSend(send())).rejects.toMatchObject(gone)
        time.pass(5_000)
      }
      expect(existsSync(place.file)).toBe(false)
      expect(told).toHaveLength(1)
    })

    it('begins no next send when one is settled, and settles it once the file is back [F-54]', async () => {
      await store.openSend(send({ lane: 'out' }))
      await store.openSend(send({ lane: 'out' }))
      const [due] = (await store.claimSends(claim())).begun
      if (!due) throw new Error('no send is due')
      renameSync(place.file, `${place.file}.away`)
      let settled: unknown
      void store.settleSend(due.fence, due.work.send.id, ACCEPTED, NEXT).then((result) => (settled = result))
      for (let turns = 0; turns < 20; turns++) {
        await turn()
        time.pass(250)
      }
      expect(settled).toBeUndefined()
      renameSync(`${place.file}.away`, place.file)
      for (let turns = 0; turns < 25; turns++) {
        await turn()
        time.pass(250)
      }
      expect(settled).toMatchObject({ stands: true, next: { work: expect.anything() } })
    })

    const fail = async () => {
      connections.failing = { code: 'SQLITE_IOERR_FSYNC', times: 1 }
      await store.renew('one', () => T0, 1).catch(() => {})
    }
    it.each([
      ['it was removed', [async () => remove('')]],
      ['after a commit failed, with its generation', [fail, async () => remove('', '.generation')]],
    ])('begins no new file, and accepts deliveries five seconds after it is back: %s [F-54]', async (_how, happens) => {
      await storeSome(1)
      linkSync(place.file, `${place.file}.kept`)
      for (const step of happens) await step()
      await refused('put it back')
      expect(existsSync(place.file)).toBe(false)
      renameSync(`${place.file}.kept`, place.file)
      await refused('put it back')
      time.pass(5_000)
      await storeSome(1)
      expect(read(place.file, 'SELECT 1 FROM inbox WHERE idx = 0')).toHaveLength(2)
    })

    it('is opened as the file that stands there, beside the process that has begun it [R DEL-02, F-54]', async () => {
      await storeSome(1)
      rmSync(place.folder, { recursive: true })
      mkdirSync(place.folder)
      const newer = open(place.file)
      const acknowledged = [...(await storeSome(1, newer)), ...(await storeSome(1)), ...(await storeSome(1, newer))]
      expect(await leftByKill()).toEqual(acknowledged)
      expect(told).toEqual([expect.stringContaining('was removed or replaced')])
    })
  })

  describe('since a commit failed', () => {
    it('is started again for the next one, with synchronous FULL, and says it once [F-48, F-51]', async () => {
      const woken: string[] = []
      store.onWork((work) => woken.push(work))
      connections.failing = { code: 'SQLITE_IOERR_FSYNC', times: 1 }
      await refused('SQLITE_IOERR_FSYNC')
      await storeSome(2)
      const living = connections.opened.filter(({ raw }) => raw.open)
      expect(living).toEqual([connections.opened.at(-1)])
      expect(living[0]?.raw.pragma('synchronous', { simple: true })).toBe(2)
      expect(told).toEqual([expect.stringContaining('could not be written: SQLITE_IOERR_FSYNC')])
      // The commit may be in the log after all, with work that nobody runs.
      expect(woken).toContain('recheck')
    })

    it('is started again at most once in five seconds, and refuses deliveries and reads until then [R DEL-02, F-51, F-104]', async () => {
      const fails = async () => {
        connections.failing = { code: 'SQLITE_IOERR_FSYNC', times: 1 }
        await refused('SQLITE_IOERR_FSYNC')
      }
      await fails()
      await storeSome(1)
      await fails()
      const opened = connections.opened.length
      time.pass(4_999)
      await refused('SQLITE_IOERR_FSYNC')
      await expect(store.counts()).rejects.toMatchObject(unavailable('SQLITE_IOERR_FSYNC'))
      expect(connections.opened).toHaveLength(opened)
      time.pass(1)
      await storeSome(1)
      expect(told).toHaveLength(2)
    })

    it('lets no process that starts meanwhile end its lease: its handlers still run [F-47, F-55]', async () => {
      await beginNew(store)
      for (let failed = 1; failed <= 2; failed++) {
        connections.failing = { code: 'SQLITE_IOERR_FSYNC', times: 1 }
        await refused('SQLITE_IOERR_FSYNC')
      }
      // Closed until five seconds have passed.
      const other = openSqlite(place.file)
      onTestFinished(() => other.close())
      const heir = claim({ processName: 'heir', now: T0 + 1 })
      expect((await other.claimItems(heir)).begun).toEqual([])
      time.pass(5_000)
      await storeSome(1)
      expect((await other.claimItems(heir)).begun).toEqual([])
    })

    it('takes kept operations first, in their order: results of `once` and settlements are not lost [F-47, F-51]', async () => {
      const { fence, item: begun } = await beginNew(store)
      connections.failing = { code: 'SQLITE_IOERR_FSYNC', times: 1 }
      connections.refusing = 1
      const result = store.keepOnce(fence, begun.id, 'charge', '[1]')
      const settled = store.settleItem(
        fence,
        begun.id,
        { as: 'retry', at: T0, reason: 'x', blocksLane: false, completedHandlers: [] },
        NEXT,
      )
      await refused('did not take a write')
      const claimed = expect(store.claimItems(claim())).rejects.toMatchObject({ code: 'store_unavailable' })
      for (let passed = 0; passed <= 5_000; passed += 250) {
        await turn()
        time.pass(250)
      }
      await claimed
      expect(await result).toBe(true)
      expect(await settled).toMatchObject({ stands: true })
      expect(await store.onceResult(begun.id, 'charge')).toBe('[1]')
    })

    it('keeps the lanes of this process, whose handlers still run [F-51, F-55]', async () => {
      const { fence, item: begun } = await beginNew(store)
      connections.failing = { code: 'SQLITE_IOERR_FSYNC', times: 1 }
      await refused('SQLITE_IOERR_FSYNC')
      await storeSome(1)
      expect((await store.claimItems(claim({ now: T0 + 1 }))).begun).toEqual([])
      expect(await store.settleItem(fence, begun.id, DONE, NEXT)).toMatchObject({ stands: true })
    })
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
    mkdirSync(folder)
    const left = join(folder, 'switchhook.db')
    for (const suffix of ['', '-wal'])
      if (existsSync(place.file + suffix)) copyFileSync(place.file + suffix, left + suffix)
    await openSqlite(left).close()
    return read(left, 'SELECT delivery_id FROM inbox WHERE idx = 0 ORDER BY id').map(
      (row) => row['delivery_id'] as string,
    )
  }
})
