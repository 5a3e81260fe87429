import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { beforeEach, describe, expect, it } from 'vitest'
import { openConnection } from '../../../src/store/sqlite/connection.ts'
import type { Store } from '../../../src/store/store.ts'
import { pruneAll } from '../contract/prune.ts'
import { begin, seqOf } from '../acts.ts'
import { claim, DAY, delivery, ingested, item, REFUSED, send, T0 } from '../samples.ts'
import { read } from '../sqlite-backend.ts'
import { type Connections, countedConnections } from './connections.ts'
import { ownPlace } from './own-place.ts'

/** From a few bytes to several pages of 4 KiB, and around what fits into one. */
const SIZES = [0, 5, 900, 40, 1_000, 200, 2_000, 60, 3_900, 500, 120, 4_050, 300, 4_100, 700, 20_000, 20, 9_000, 1_100]

function canary(kind: 'b' | 'f', number: number): string {
  return `canary-${kind}${String(number).padStart(6, '0')}-`
}

describe('what was pruned', () => {
  let place: ReturnType<typeof ownPlace>
  let connections: Connections
  let store: Store
  beforeEach(async () => {
    connections = countedConnections()
    place = ownPlace(connections.connect)
    store = await place.open()
  })

  it('is gone from the files: its bytes and facts after 7 days, its replies after 30 [R DEL-02, F-89]', async () => {
    for (const length of [10, 900, 20_000]) await converse(`canary-${'x'.repeat(length)}`)
    expect(found('canary-')).toBeGreaterThan(3)
    await pruneAll(store, { now: T0 + 8 * DAY })
    expect(await store.compact()).toMatchObject({ whole: true, logBytes: 0 })
    expect(found('canary-')).toBe(0)
    expect(found('reply-')).toBeGreaterThan(2)
    await pruneAll(store, { now: T0 + 31 * DAY })
    await store.compact()
    expect(found('reply-')).toBe(0)
  })

  it('is gone from the files to the last copy, among thousands of all sizes that go in any order [F-89]', async () => {
    const day = (days: number) => T0 + days * DAY
    await arriveMany(0, 1_200, day(0))
    await settleMany(day(0), (number) => number % 20 !== 7)
    expect(canaries().size).toBe(2_400)
    // Rows that wait for a person stay while their neighbours go; later they are moved, and go in their turn.
    await pruneAll(store, { now: day(8) })
    await arriveMany(1_200, 1_800, day(8))
    await settleMany(day(8), (number) => number % 20 !== 7)
    await store.compact()
    const kept = [...canaries()].sort()
    expect(kept.filter((canary) => Number(canary.slice(1)) < 1_200)).toHaveLength(120)
    expect(kept).toHaveLength(120 + 1_200)
    await pruneAll(store, { now: day(31) })
    await store.compact()
    expect([...canaries()].map((canary) => Number(canary.slice(1)) % 20).filter((rest) => rest !== 7)).toEqual([])
    const dead = read(place.file, 'SELECT item AS id FROM work').map(({ id }) => id as number)
    await store.retryItems(dead, day(31))
    await settleMany(day(31), () => true)
    await pruneAll(store, { now: day(39) })
    expect(await store.compact()).toEqual({ whole: true, logBytes: 0 })
    expect([...canaries()]).toEqual([])
  })

  it('is gone with the facts of a parked item, when a new ingest replaces it [F-89]', async () => {
    const parked = item({ facts: '"canary-old"', state: 'parked', reason: 'x' })
    const seq = await seqOf(store, delivery())
    await store.ingest(seq, ingested(parked), T0)
    await store.reingest([seq])
    await store.ingest(seq, ingested(item({ facts: '"canary-new"' })), T0)
    await store.compact()
    expect([found('canary-old'), found('canary-new')]).toEqual([0, 1])
  })

  it('gives its space back, but for what lies beside the few that wait for a person, and the file grows no more [F-59]', async () => {
    const pages = () => read(place.file, 'PRAGMA page_count')[0]?.['page_count'] as number
    const sizes: number[] = []
    for (let round = 0; round < 4; round++) {
      const now = T0 + round * 8 * DAY
      await arriveMany(round * 800, (round + 1) * 800, now)
      await settleMany(now, (number) => number % 500 !== 7)
      await pruneAll(store, { now: now + 8 * DAY - 1 })
      sizes.push(pages())
    }
    expect(sizes[3]).toBeLessThan((sizes[1] ?? 0) * 1.2)
  })

  it('stays in the log as long as somebody reads an older state, and goes when that ends [F-53, F-89]', async () => {
    await converse('canary-a')
    const reader = openConnection(place.file)
    reader.raw.exec('BEGIN; SELECT count(*) FROM inbox')
    reader.raw.prepare('SELECT count(*) FROM inbox').get()
    await pruneAll(store, { now: T0 + 8 * DAY })
    expect((await store.compact()).whole).toBe(false)
    expect(connections.patience.at(-1)).toBe(0)
    expect(found('canary-')).toBeGreaterThan(0)
    reader.raw.exec('COMMIT')
    expect(await store.compact()).toMatchObject({ whole: true, logBytes: 0 })
    expect(found('canary-')).toBe(0)
    reader.close()
  })

  /** A message that came, was tried twice, and was answered. */
  async function converse(text: string): Promise<void> {
    const body = Buffer.from(JSON.stringify({ text }))
    const facts = JSON.stringify({ values: { text }, sure: [] })
    await store.ingest(await seqOf(store, delivery({ body })), ingested(item({ facts })), T0)
    const { fence, item: begun } = await begin(store)
    await store.keepOnce(fence, begun.id, 'price', '5')
    const reply = send({ cause: begun.cause, body: text.replace('canary', 'reply') })
    await store.openSend(reply, { fence })
    const [due] = (await store.claimSends(claim())).begun
    if (!due) throw new Error('no send is due')
    await store.settleSend(due.fence, reply.id, REFUSED, { now: T0, goOn: false })
    const failed = {
      as: 'retry',
      reason: 'a reason of some length',
      at: T0,
      blocksLane: false,
      completedHandlers: ['on:a'],
    } as const
    await store.settleItem(fence, begun.id, failed, { now: T0, goOn: false })
    const again = await begin(store)
    await store.settleItem(again.fence, again.item.id, { as: 'done' }, { now: T0, goOn: false })
  }

  /** Messages with a canary in the bytes and another in the facts, each in its own lane. */
  async function arriveMany(from: number, to: number, now: number): Promise<void> {
    const numbers = Array.from({ length: to - from }, (_, index) => from + index)
    await Promise.all(
      numbers.map((number) => {
        const body = Buffer.from(canary('b', number) + 'x'.repeat(SIZES[number % SIZES.length] ?? 0))
        const digest = createHash('sha256').update(body).digest()
        return store.accept(delivery({ body, digest, receivedAt: now }))
      }),
    )
    for (;;) {
      const stored = await store.unread(500)
      if (stored.length === 0) return
      await Promise.all(
        stored.map(({ seq, body }) => {
          const number = Number(Buffer.from(body).toString('latin1', 8, 14))
          const facts = canary('f', number) + 'y'.repeat(SIZES[(number + 3) % SIZES.length] ?? 0)
          return store.ingest(seq, ingested(item({ facts: JSON.stringify(facts), lane: `default/${number}` })), now)
        }),
      )
    }
  }

  /** Settles all that waits: as done, or as dead and so kept. */
  async function settleMany(now: number, isDone: (number: number) => boolean): Promise<void> {
    for (;;) {
      const { begun } = await store.claimItems(claim({ limit: 500, now }))
      if (begun.length === 0) return
      await Promise.all(
        begun.map(({ fence, work }) => {
          const done = isDone(Number(fence.lane.slice(8)))
          const settlement = done ? ({ as: 'done' } as const) : ({ as: 'dead', reason: 'x' } as const)
          return store.settleItem(fence, work.id, settlement, { now, goOn: false })
        }),
      )
    }
  }

  /** The canaries that the files hold anywhere. */
  function canaries(): Set<string> {
    const files = ['', '-wal', '-shm'].map((suffix) => place.file + suffix).filter((file) => existsSync(file))
    const found = files.flatMap((file) => readFileSync(file, 'latin1').match(/(?<=canary-)[bf]\d{6}/g) ?? [])
    return new Set(found)
  }

  /** How often the files hold a text, the log among them. */
  function found(text: string): number {
    const files = ['', '-wal'].map((suffix) => place.file + suffix).filter((file) => existsSync(file))
    return files.reduce((sum, file) => sum + readFileSync(file, 'latin1').split(text).length - 1, 0)
  }
})
