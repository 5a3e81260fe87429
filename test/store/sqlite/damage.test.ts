import { randomBytes } from 'node:crypto'
import {
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { backUp } from '../../../src/store/sqlite/backup.ts'
import { openSqlite } from '../../../src/store/sqlite/sqlite-store.ts'
import type { Store } from '../../../src/store/store.ts'
import { seqOf } from '../acts.ts'
import { claim, delivery, ingested, item, send, T0 } from '../samples.ts'
import { read } from '../sqlite-backend.ts'
import { openWatched, type Watched } from './own-place.ts'

const PAGE = 4_096
const PAGE_ON_DISK = 'switchhook/docs/operations.md#a-damaged-database'

describe('a database into which something else wrote', () => {
  let place: Watched['place']
  let connections: Watched['connections']
  let time: Watched['time']
  let told: { line: string; alarm: string }[]
  let store: Store
  let open: Watched['open']
  beforeEach(async () => {
    told = []
    ;({ place, connections, time, store, open } = openWatched((line, alarm) => told.push({ line, alarm })))
    await fill(300)
  })

  /** Deliveries with their items, and sends: each table has several pages. */
  async function fill(count: number): Promise<void> {
    for (let nth = 0; nth < count; nth++) {
      const source = delivery({ body: Buffer.from(`{"text":"${'b'.repeat(300)}"}`), digest: randomBytes(32) })
      const facts = JSON.stringify('f'.repeat(200))
      await store.ingest(await seqOf(store, source), ingested(item({ lane: `default/${nth}`, facts })), T0)
      await store.openSend(send({ lane: `default/${nth}/out`, body: JSON.stringify({ text: 's'.repeat(200) }) }))
    }
  }

  /** Pages of a table or an index, its root first. */
  function pagesOf(name: string): number[] {
    return read(place.file, 'SELECT pageno FROM dbstat WHERE name = ? ORDER BY path', [name]).map(
      (row) => row['pageno'] as number,
    )
  }

  function write(bytes: Uint8Array, at: number, into = place.file): void {
    const handle = openSync(into, 'r+')
    try {
      writeSync(handle, bytes, 0, bytes.length, at)
    } finally {
      closeSync(handle)
    }
  }

  const overwrite = (page: number, bytes: Uint8Array) => write(bytes, (page - 1) * PAGE)
  const pageOf = (page: number) => readFileSync(place.file).subarray((page - 1) * PAGE, page * PAGE)
  const at = (name: string, nth: number) => pagesOf(name).at(nth) ?? 0

  const SCENES: readonly (readonly [string, () => void])[] = [
    ['noise over a page of inbox', () => overwrite(at('inbox', 1), randomBytes(PAGE))],
    ['zeros over a page of contents', () => overwrite(at('contents', 2), Buffer.alloc(PAGE))],
    ['a page of contents over one of inbox', () => overwrite(at('inbox', -1), pageOf(at('contents', -1)))],
    ['noise over the root of work', () => overwrite(at('work', 0), randomBytes(PAGE))],
    ['an older page of sends', () => overwrite(at('sends', -1), pageOf(at('sends', -2)))],
    ['noise over a page of an index', () => overwrite(at('inbox_id', -1), randomBytes(PAGE))],
    ['another page of the same index', () => overwrite(at('inbox_signed', -1), pageOf(at('inbox_signed', -2)))],
    [
      'text of another program over a page’s header',
      () => overwrite(at('sends', 1), Buffer.from('GET / HTTP/1.1\r\n')),
    ],
    ['zeros over the header of the file', () => write(Buffer.alloc(100), 0)],
    ['noise over the table of tables', () => write(randomBytes(PAGE - 100), 100)],
    ['a file that was cut short', () => truncateSync(place.file, statSync(place.file).size - 8 * PAGE)],
    ['a file that was cut within a page', () => truncateSync(place.file, statSync(place.file).size - 20 * PAGE - 512)],
  ]

  it.each(SCENES)('is refused at a start, and by a backup, in words: %s', async (_what, damage) => {
    await store.close()
    damage()
    const bytes = readFileSync(place.file)
    expect(() => open()).toThrow(
      expect.objectContaining({ code: 'store_unavailable', message: expect.stringContaining(PAGE_ON_DISK) }),
    )
    expect(readFileSync(place.file).equals(bytes)).toBe(true)
    const copy = join(place.folder, 'copy.db')
    await expect(backUp(place.file, copy)).rejects.toThrow(PAGE_ON_DISK)
    expect(existsSync(copy)).toBe(false)
  })

  it.each([
    [
      'noise over the pages of an index',
      () => pagesOf('inbox_id').forEach((page) => overwrite(page, randomBytes(PAGE))),
    ],
    ['zeros over the pages of a table', () => pagesOf('inbox').forEach((page) => overwrite(page, Buffer.alloc(PAGE)))],
  ])(
    'stores nothing more from the first sign on, tells it once, and is not opened again: %s',
    async (_what, damage) => {
      await store.compact()
      connections.opened.at(-1)?.raw.pragma('cache_size = 0')
      connections.opened.at(-1)?.raw.pragma('shrink_memory')
      damage()
      await expect(store.accept(delivery())).rejects.toMatchObject({ code: 'store_unavailable' })
      const opened = connections.opened.length
      for (let tried = 0; tried < 3; tried++) {
        time.pass(5_000)
        await expect(store.accept(delivery())).rejects.toMatchObject({
          code: 'store_unavailable',
          message: expect.stringContaining('is damaged (SQLITE_CORRUPT'),
        })
        await expect(store.claimSends(claim())).rejects.toMatchObject({ code: 'store_unavailable' })
        await expect(store.counts()).rejects.toMatchObject({ code: 'store_unavailable' })
      }
      expect(connections.opened).toHaveLength(opened)
      expect(told).toEqual([{ line: expect.stringContaining(PAGE_ON_DISK), alarm: 'store_damaged' }])
    },
  )

  it('stores nothing more once a page of its log is not what was written there, and holds its sends at the next start', async () => {
    await store.compact()
    await store.accept(delivery())
    connections.opened.at(-1)?.raw.pragma('cache_size = 0')
    connections.opened.at(-1)?.raw.pragma('shrink_memory')
    const log = `${place.file}-wal`
    for (let frame = 32; frame < statSync(log).size; frame += 24 + PAGE) write(randomBytes(PAGE), frame + 24, log)
    await expect(store.accept(delivery())).rejects.toMatchObject({ code: 'store_unavailable' })
    expect(told).toMatchObject([{ alarm: 'store_damaged' }])
    await store.close()
    store = open()
    expect(store.restored).toMatchObject({ why: 'noticed' })
  })

  describe('into the log of which, before it was killed', () => {
    const frame = 24 + PAGE

    /** The files as a kill leaves them, with noise over the page of one frame, counted from the last one. */
    async function killed(fromEnd: number): Promise<string> {
      await store.compact()
      for (let nth = 0; nth < 20; nth++) await store.accept(delivery())
      const left = join(place.folder, 'left.db')
      for (const end of ['', '-wal', '.generation']) copyFileSync(place.file + end, left + end)
      const frames = Math.floor((statSync(`${left}-wal`).size - 32) / frame)
      write(randomBytes(PAGE), 32 + (frames - fromEnd) * frame + 24, `${left}-wal`)
      return left
    }

    it('commits are lost: the start says so once, and holds its sends', async () => {
      const left = await killed(40)
      const onFailure = (line: string, alarm: string) => told.push({ line, alarm })
      const after = openSqlite(left, { onFailure })
      expect(after.restored).toMatchObject({ why: 'noticed' })
      await after.accept(delivery())
      await after.close()
      await openSqlite(left, { onFailure }).close()
      expect(read(left, 'SELECT 1 FROM inbox WHERE idx = 0').length).toBeLessThan(320)
      expect(told).toEqual([
        { line: expect.stringContaining('acknowledged deliveries are missing'), alarm: 'store_failed' },
      ])
    })

    it('one commit at most was not finished, as after a power cut: that is no loss', async () => {
      const left = await killed(1)
      const after = openSqlite(left, { onFailure: (line, alarm) => told.push({ line, alarm }) })
      expect(after.restored).toBeUndefined()
      await after.close()
      expect(told).toEqual([])
    })
  })

  it('stores nothing more once a read has found damage', async () => {
    await store.compact()
    connections.opened.at(-1)?.raw.pragma('cache_size = 0')
    connections.opened.at(-1)?.raw.pragma('shrink_memory')
    for (const page of pagesOf('contents')) overwrite(page, randomBytes(PAGE))
    await expect(store.deliveryDetail(1)).rejects.toMatchObject({ code: expect.stringMatching(/^SQLITE_CORRUPT/) })
    await expect(store.accept(delivery())).rejects.toMatchObject({ message: expect.stringContaining('is damaged') })
    expect(told).toMatchObject([{ alarm: 'store_damaged' }])
  })

  it('is found by the opening that follows a failed sync, which is the last one then', async () => {
    await store.compact()
    connections.failing = { code: 'SQLITE_IOERR_FSYNC', times: 1 }
    connections.refusing = 1
    await expect(store.accept(delivery())).rejects.toMatchObject({ code: 'store_unavailable' })
    await expect(store.accept(delivery())).rejects.toThrow('the file is gone')
    for (const page of pagesOf('sends')) overwrite(page, randomBytes(PAGE))
    for (let tried = 0; tried < 3; tried++) {
      time.pass(5_000)
      await expect(store.accept(delivery())).rejects.toThrow(PAGE_ON_DISK)
    }
    expect(told.map(({ alarm }) => alarm)).toEqual(['store_failed', 'store_damaged'])
  })

  it('is read with a check of each page’s cells', () => {
    const [opened] = connections.opened.filter(({ raw }) => raw.open)
    expect(opened?.raw.pragma('cell_size_check', { simple: true })).toBe(1)
  })

  it('is opened again once a whole database is in its place', async () => {
    await store.compact()
    copyFileSync(place.file, `${place.file}.kept`)
    connections.failing = { code: 'SQLITE_CORRUPT', times: 1 }
    await expect(store.accept(delivery())).rejects.toMatchObject({ code: 'store_unavailable' })
    renameSync(`${place.file}.kept`, place.file)
    time.pass(5_000)
    expect((await store.accept(delivery())).as).toBe('stored')
  })
})
