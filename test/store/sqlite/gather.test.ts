import { afterAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { openSqlite } from '../../../src/store/sqlite/sqlite-store.ts'
import type { Store } from '../../../src/store/store.ts'
import { arrive, begin, delivery, DONE, item, T0 } from '../samples.ts'
import { placeOnDisk } from '../sqlite-backend.ts'
import { type Connections, countedConnections } from './connections.ts'

// The group commit keeps the timers that it finds when it is loaded.
vi.hoisted(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterAll(() => void vi.useRealTimers())

describe('the time of a commit', () => {
  let connections: Connections
  let store: Store
  beforeEach(() => {
    const place = placeOnDisk()
    connections = countedConnections()
    store = openSqlite(place.file, { connect: connections.connect })
    onTestFinished(async () => {
      await store.close()
      await place.remove()
    })
  })

  const accept = (count: number) => Promise.all(Array.from({ length: count }, () => store.accept(delivery())))
  const settlement = async (customer: string) => {
    await arrive(store, [item({ customer })])
    const { fence, item: begun } = await begin(store)
    return () => void store.settleItem(fence, begun.id, DONE, { now: T0, goOn: true })
  }
  const commitsOf = async (act: () => unknown) => {
    const before = connections.commits
    act()
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate)
    return connections.commits - before
  }

  it('is at once for a delivery that comes after a few others [R DEL-02]', async () => {
    await accept(3)
    expect(await commitsOf(() => accept(1))).toBe(1)
  })

  it('comes after many when as many wait again, or after a millisecond, whatever else waits longer', async () => {
    const settle = await settlement('255712000101')
    await accept(20)
    expect(await commitsOf(() => accept(1))).toBe(0)
    expect(await commitsOf(() => accept(19))).toBe(1)
    expect(await commitsOf(settle)).toBe(0)
    expect(await commitsOf(() => accept(1))).toBe(0)
    expect(await commitsOf(() => vi.advanceTimersByTime(1))).toBe(1)
  })

  it('is that of the next delivery for a settlement, and the delivery does not wait for it', async () => {
    const settle = await settlement('255712000101')
    expect(await commitsOf(settle)).toBe(0)
    expect(await commitsOf(() => accept(1))).toBe(1)
    expect(await commitsOf(() => vi.advanceTimersByTime(1_000))).toBe(0)
  })

  it('comes within five milliseconds for a settlement alone, and at once for those that follow it', async () => {
    const [one, next] = [await settlement('255712000101'), await settlement('255712000102')]
    expect(await commitsOf(one)).toBe(0)
    expect(await commitsOf(() => vi.advanceTimersByTime(5))).toBe(1)
    expect(await commitsOf(next)).toBe(1)
  })
})
