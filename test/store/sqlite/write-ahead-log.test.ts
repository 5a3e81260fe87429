import type * as fs from 'node:fs'
import { expect, it, onTestFinished, vi } from 'vitest'
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
