import type * as fs from 'node:fs'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import Database from 'better-sqlite3'
import { delivery } from '../samples.ts'
import { placeOnDisk } from '../sqlite-backend.ts'

it('a start is not refused if another process closes the database at that moment, and so removes its log [F-54]', async () => {
  const place = placeOnDisk()
  onTestFinished(() => place.remove())
  const store = await place.open()
  await store.accept(delivery())
  const closed: Promise<void>[] = []
  const writeLogAgain = await withLook((path) => {
    if (path === `${place.file}-wal` && closed.length === 0) closed.push(store.close())
  })
  expect(() => writeLogAgain(place.file, 0)).not.toThrow()
  expect(closed).toHaveLength(1)
  await Promise.all(closed)
})

/** The module over files that tell of each look at them, once it is done. */
async function withLook(looked: (path: string) => void) {
  vi.resetModules()
  onTestFinished(() => {
    vi.doUnmock('node:fs')
  })
  vi.doMock('node:fs', async (original) => {
    const real = await original<typeof fs>()
    const statSync = (path: string, options: object) => {
      const found = real.statSync(path, options)
      looked(path)
      return found
    }
    return { ...real, statSync }
  })
  const { writeLogAgain } = await import('../../../src/store/sqlite/write-ahead-log.ts')
  return writeLogAgain
}

describe('a log that grows', () => {
  async function opened() {
    const place = placeOnDisk()
    onTestFinished(() => place.remove())
    const told: { line: string; alarm: string }[] = []
    const store = await place.open({ onFailure: (line, alarm) => told.push({ line, alarm }) })
    /** In one commit. The log's size is checked after each hundred operations. */
    const storeMegabytes = async (count: number) => {
      const body = Buffer.alloc((count * MEGABYTE) / OPERATIONS)
      await Promise.all(Array.from({ length: OPERATIONS }, () => store.accept(delivery({ body }))))
      await new Promise(setImmediate)
    }
    return { place, store, told, storeMegabytes }
  }

  it('because something reads an older state is an alarm with that reason, and again when it has doubled [F-53]', async () => {
    const { place, store, told, storeMegabytes } = await opened()
    const reader = new Database(place.file, { readonly: true })
    onTestFinished(() => void reader.close())
    reader.exec('BEGIN')
    reader.prepare('SELECT count(*) FROM inbox').get()
    for (let stored = 0; stored < 30; stored += 10) await storeMegabytes(10)
    expect(told).toEqual([])
    for (let stored = 30; stored < 70; stored += 10) await storeMegabytes(10)
    expect(told).toEqual([
      { line: expect.stringMatching(/-wal has 4\d MB and grows: a program reads an older state/), alarm: 'log_grows' },
      { line: expect.stringMatching(/-wal has 7\d MB/), alarm: 'log_grows' },
    ])
    expect(store.onDisk()?.logBytes).toBeGreaterThan(70 * MEGABYTE)
    reader.exec('COMMIT')
    expect(await store.compact()).toMatchObject({ whole: true })
    expect(store.onDisk()?.logBytes).toBe(0)
  })

  it('with one large commit, which nothing reads, is no alarm [F-53]', async () => {
    const { told, storeMegabytes, store } = await opened()
    await storeMegabytes(40)
    expect(store.onDisk()?.logBytes).toBeGreaterThan(40 * MEGABYTE)
    await storeMegabytes(1)
    expect(told).toEqual([])
  })
})

const MEGABYTE = 1_048_576
const OPERATIONS = 100
