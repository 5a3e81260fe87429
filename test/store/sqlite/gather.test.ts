import { afterAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { openSqlite } from '../../../src/store/sqlite/sqlite-store.ts'
import type { Store } from '../../../src/store/store.ts'
import { beginNew } from '../acts.ts'
import { delivery, DONE, item, send, T0 } from '../samples.ts'
import { placeOnDisk } from '../sqlite-backend.ts'
import { type Connections, countedConnections } from './connections.ts'

// The group commit keeps the timers that it finds when it is loaded.
vi.hoisted(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterAll(() => void vi.useRealTimers())

describe('the time of a commit', () => {
  let connections: Connections
  let store: Store
  let now: number
  beforeEach(() => {
    now = 0
    const place = placeOnDisk()
    connections = countedConnections()
    store = openSqlite(place.file, { connect: connections.connect, monotonic: () => now })
    onTestFinished(async () => {
      await store.close()
      await place.remove()
    })
  })

  const accept = (count: number) => Promise.all(Array.from({ length: count }, () => store.accept(delivery())))
  /** Their commit takes so many milliseconds. */
  const acceptIn = (ms: number, count: number) => {
    connections.afterCommit = () => void (now += ms)
    return accept(count)
  }
  const settlement = async (customer = '255712000101') => {
    const { fence, item: begun } = await beginNew(store, [item({ customer })])
    return () => void store.settleItem(fence, begun.id, DONE, { now: T0, goOn: true })
  }
  const commitsOf = async (act: () => unknown) => {
    const before = connections.commits
    act()
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate)
    return connections.commits - before
  }

  it('is at once for a delivery if the last one took less than a millisecond, whatever rides [R DEL-02]', async () => {
    const settle = await settlement()
    await acceptIn(0.9, 20)
    expect(await commitsOf(settle)).toBe(0)
    expect(await commitsOf(() => accept(1))).toBe(1)
  })

  it('comes after a longer one when as many wait again, or after a millisecond, whatever else waits longer', async () => {
    const settle = await settlement()
    await acceptIn(1, 20)
    expect(await commitsOf(() => accept(1))).toBe(0)
    expect(await commitsOf(() => acceptIn(1, 19))).toBe(1)
    expect(await commitsOf(settle)).toBe(0)
    expect(await commitsOf(() => accept(1))).toBe(0)
    expect(await commitsOf(() => vi.advanceTimersByTime(1))).toBe(1)
  })

  it('is that of the next delivery for a settlement, if one has just come', async () => {
    const settle = await settlement()
    await accept(1)
    expect(await commitsOf(settle)).toBe(0)
    expect(await commitsOf(() => accept(1))).toBe(1)
    expect(await commitsOf(() => vi.advanceTimersByTime(1_000))).toBe(0)
  })

  it('comes two milliseconds later if none does, and at once as long as none has come: a lane with a backlog waits for nobody', async () => {
    const [one, next] = [await settlement('255712000101'), await settlement('255712000102')]
    await accept(1)
    expect(await commitsOf(one)).toBe(0)
    expect(await commitsOf(() => vi.advanceTimersByTime(2))).toBe(1)
    await store.openSend(send())
    expect(await commitsOf(next)).toBe(1)
  })
})
