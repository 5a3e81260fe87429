import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Store } from '../../../src/store/store.ts'
import { openSqlite } from '../../../src/store/sqlite/sqlite-store.ts'
import { arrive, begin, beginNew } from '../acts.ts'
import { claim, delivery, item, LEASE_MS, T0 } from '../samples.ts'
import { read } from '../sqlite-backend.ts'
import { openWatched, type Watched } from './own-place.ts'

describe('a file that another process writes', () => {
  let place: Watched['place']
  let connections: Watched['connections']
  let time: Watched['time']
  let store: Store
  let writer: ChildProcess | undefined
  beforeEach(() => void ({ place, connections, time, store } = openWatched()))
  afterEach(() => void writer?.kill('SIGKILL'))

  async function lock(): Promise<void> {
    writer = fork(join(import.meta.dirname, 'hold-lock.ts'), [place.file])
    await once(writer, 'message')
    connections.patience.length = 0
  }

  async function letGo(): Promise<void> {
    writer?.send('let go')
    await once(writer as ChildProcess, 'message')
  }

  it('is waited for by a delivery as long as it may, and the event loop never stands still [F-52, F-98]', async () => {
    await lock()
    const told: string[] = []
    const tell = (what: string) => () => told.push(what)
    const impatient = store.accept(delivery(), { waitMs: 1_000 }).catch(tell('refused'))
    const patient = store.accept(delivery(), { waitMs: 4_000 }).then(tell('stored'))
    await pass(999)
    expect(told).toEqual([])
    await pass(1)
    await impatient
    expect(told).toEqual(['refused'])
    await pass(2_998)
    await letGo()
    await pass(2)
    await patient
    expect(told).toEqual(['refused', 'stored'])
    expect(new Set(connections.patience)).toEqual(new Set([0]))
  })

  it('has a delivery refused with its reason when the wait was in vain, and the next one stored [F-52, F-98]', async () => {
    const opened = connections.opened.length
    await lock()
    const refused = store.accept(delivery(), { waitMs: 4_000 })
    const message = expect.stringContaining('SQLITE_BUSY')
    const answered = expect(refused).rejects.toMatchObject({ code: 'store_unavailable', message })
    await pass(4_000)
    await answered
    await letGo()
    const next = store.accept(delivery())
    await pass(2)
    expect((await next).as).toBe('stored')
    // There is no reason to mistrust the connection.
    expect(connections.opened).toHaveLength(opened)
  })

  it('keeps operations in their order while it is waited for, and one commit takes them all [F-98]', async () => {
    const { fence, item: begun } = await beginNew(store, [item(), item({ idx: 1 })])
    await lock()
    const before = connections.commits
    const kept = store.keepOnce(fence, begun.id, 'charge', '[1]')
    const accepted = [store.accept(delivery()), store.accept(delivery())]
    await pass(10)
    const late = store.accept(delivery())
    const settled = store.settleItem(fence, begun.id, { as: 'done' }, { now: T0, goOn: true })
    // Reading continues.
    expect((await store.counts()).items).toEqual({ running: 1, stored: 1 })
    await letGo()
    await pass(2)
    const seqs = (await Promise.all([...accepted, late])).map(({ seq }) => seq ?? 0)
    expect(seqs).toEqual(seqs.toSorted((a, b) => a - b))
    expect(await kept).toBe(true)
    // The deliveries are unread, and one may belong before the lane's next item.
    expect(await settled).toEqual({ stands: true, next: undefined })
    expect(connections.commits - before).toBe(1)
  })

  it('is waited for half a lease by what somebody waits for, and for ever by a settlement [F-52, F-98]', async () => {
    const { fence, item: begun } = await beginNew(store)
    await lock()
    const settled = store.settleItem(fence, begun.id, { as: 'done' }, { now: T0, goOn: true })
    const claimed = expect(store.claimItems(claim())).rejects.toMatchObject({ code: 'store_unavailable' })
    await pass(5_000)
    await claimed
    await pass(5_001)
    await letGo()
    await pass(2)
    expect(await settled).toMatchObject({ stands: true })
    expect(read(place.file, 'SELECT state FROM work ORDER BY item')).toEqual([])
  })

  it('makes no clock seem to have gone back, which would shorten a back-off: a renewal that waited for it reads the clock then [F-52, F-100]', async () => {
    const other = openSqlite(place.file)
    await arrive(other, [item()])
    const { fence, item: begun } = await begin(other)
    await lock()
    let now = T0
    const renewed = store.renew('one', () => now, LEASE_MS)
    await pass(2)
    await letGo()
    now = T0 + 3_000
    const wait = { as: 'retry', at: now + 30_000, reason: 'x', blocksLane: true, completedHandlers: [] } as const
    await other.settleItem(fence, begun.id, wait, { now, goOn: true })
    await pass(2)
    await renewed
    expect(read(place.file, 'SELECT due FROM work')).toEqual([{ due: now + 30_000 }])
    await other.close()
  })

  it('refuses at the close what it keeps from being stored, and does not wait for ever [F-98]', async () => {
    await lock()
    const refused = expect(store.accept(delivery())).rejects.toMatchObject({ code: 'store_unavailable' })
    await store.close()
    await refused
  })

  /** Lets time pass for a store that has tried once. */
  async function pass(ms: number): Promise<void> {
    await new Promise(setImmediate)
    time.pass(ms)
    await new Promise(setImmediate)
  }
})
