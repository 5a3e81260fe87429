import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Store } from '../../../src/stores/port/index.ts'
import { openConnection } from '../../../src/stores/sqlite/connection.ts'
import { openSqlite } from '../../../src/stores/sqlite/index.ts'
import { type ManualTime, manualTime } from '../../emulator/support/time.ts'
import { arrive, begin, delivery, item, T0 } from '../samples.ts'
import { placeOnDisk, read } from '../sqlite-backend.ts'
import { type Connections, countedConnections } from './connections.ts'

const sum = (all: readonly number[]) => all.reduce((one, other) => one + other, 0)

describe('a file that another process writes', () => {
  let place: ReturnType<typeof placeOnDisk>
  let connections: Connections
  let time: ManualTime
  let store: Store
  let writer: ChildProcess | undefined
  beforeEach(() => {
    place = placeOnDisk()
    connections = countedConnections()
    time = manualTime()
    store = openSqlite(place.file, { connect: connections.connect, timers: time.timers })
  })
  afterEach(async () => {
    writer?.kill('SIGKILL')
    await store.close()
    await place.remove()
  })

  it('is waited for but a moment: a delivery is refused within a second, and nothing is lost [F-52]', async () => {
    await arrive(store, [item()])
    const { fence, item: begun } = await begin(store)
    const opened = connections.opened.length
    writer = fork(join(import.meta.dirname, 'hold-lock.ts'), [place.file])
    await once(writer, 'message')

    connections.patience.length = 0
    const refused = delivery()
    const settled = store.settleItem(fence, begun.id, { as: 'done' }, { now: T0, goOn: true })
    await expect(store.accept(refused)).rejects.toMatchObject({
      code: 'store_unavailable',
      message: expect.stringContaining('SQLITE_BUSY'),
    })
    expect(Math.max(...connections.patience)).toBe(250)
    expect(sum(connections.patience)).toBeLessThan(1_000)
    // Reading goes on, and there is no reason to mistrust the connection.
    expect((await store.counts()).items).toEqual({ running: 1 })
    expect(connections.opened).toHaveLength(opened)

    writer.send('let go')
    await once(writer, 'message')
    time.pass(250)
    expect(await settled).toMatchObject({ held: true })
    expect((await store.accept(refused)).as).toBe('stored')
    expect(read(place.file, 'SELECT state FROM items')).toEqual([{ state: 'done' }])
  })

  it('is waited for by the result of an effect that has run, since a rerun would run it again [F-47, F-52]', async () => {
    await arrive(store, [item()])
    const { fence, item: begun } = await begin(store)
    writer = fork(join(import.meta.dirname, 'hold-lock.ts'), [place.file])
    await once(writer, 'message')
    const kept = store.keepOnce(fence, begun.id, 'charge', '[1]')
    const settled = store.settleItem(
      fence,
      begun.id,
      { as: 'retry', reason: 'its deadline has passed', at: T0, blocksLane: true, completedHandlers: [] },
      { now: T0, goOn: true },
    )
    await new Promise(setImmediate)
    writer.send('let go')
    await once(writer, 'message')
    time.pass(250)
    expect(await kept).toBe(true)
    expect(await settled).toMatchObject({ held: true })
    expect(await store.onceResult(begun.id, 'charge')).toBe('[1]')
  })

  it('is waited for in vain but once: while it goes on, a kept settlement blocks a tenth of the time [F-52]', async () => {
    await arrive(store, [item()])
    const { fence, item: begun } = await begin(store)
    writer = fork(join(import.meta.dirname, 'hold-lock.ts'), [place.file])
    await once(writer, 'message')
    const settled = store.settleItem(fence, begun.id, { as: 'done' }, { now: T0, goOn: true })
    await new Promise(setImmediate)
    connections.patience.length = 0
    for (let times = 0; times < 8; times++) {
      expect(time.running).toBe(1)
      time.pass(250)
    }
    expect(connections.patience).toHaveLength(8)
    expect(sum(connections.patience)).toBeLessThanOrEqual((8 * 250) / 10)
    writer.send('let go')
    await once(writer, 'message')
    time.pass(250)
    expect(await settled).toMatchObject({ held: true })
    // The next write that finds the file busy waits as long as the first.
    expect(connections.opened.at(-1)?.raw.pragma('busy_timeout', { simple: true })).toBe(250)
    const other = openConnection(place.file)
    other.raw.exec('BEGIN IMMEDIATE')
    await expect(store.accept(delivery())).rejects.toMatchObject({ code: 'store_unavailable' })
    expect(connections.patience.at(-1)).toBe(250)
    other.close()
  })
})
