import { existsSync, readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openConnection } from '../../../src/stores/sqlite/connection.ts'
import type { Store } from '../../../src/stores/port/index.ts'
import { pruneAll } from '../contract/prune.ts'
import { begin, claim, delivery, item, send, seqOf, sorted, T0 } from '../samples.ts'
import { placeOnDisk, read } from '../sqlite-backend.ts'

const DAY = 86_400_000

describe('what was pruned', () => {
  let place: ReturnType<typeof placeOnDisk>
  let store: Store
  beforeEach(async () => {
    place = placeOnDisk()
    store = await place.open()
  })
  afterEach(() => place.remove())

  it('F-89 R DEL-02 is gone from the files: its bytes and facts after 7 days, its replies after 30', async () => {
    for (const length of [10, 900, 20_000]) await say(`canary-${'x'.repeat(length)}`)
    expect(found('canary-')).toBeGreaterThan(3)
    await pruneAll(store, { now: T0 + 8 * DAY })
    expect(await store.tidy()).toMatchObject({ whole: true, logBytes: 0 })
    expect(found('canary-')).toBe(0)
    expect(found('reply-')).toBeGreaterThan(2)
    await pruneAll(store, { now: T0 + 31 * DAY })
    await store.tidy()
    expect(found('reply-')).toBe(0)
  })

  it('F-33 leaves no key and no once result behind', async () => {
    await say('first')
    await pruneAll(store, { now: T0 + 31 * DAY })
    for (const table of ['delivery_ids', 'signed', 'once_results', 'items', 'deliveries'])
      expect(read(place.file, `SELECT * FROM ${table}`), table).toEqual([])
  })

  it('F-53 F-89 stays in the log as long as somebody reads an older state, and goes when that ends', async () => {
    await say('canary-a')
    const reader = openConnection(place.file)
    reader.raw.exec('BEGIN; SELECT count(*) FROM deliveries')
    reader.raw.prepare('SELECT count(*) FROM deliveries').get()
    await pruneAll(store, { now: T0 + 8 * DAY })
    const before = performance.now()
    expect((await store.tidy()).whole).toBe(false)
    expect(performance.now() - before).toBeLessThan(200)
    expect(found('canary-')).toBeGreaterThan(0)
    reader.raw.exec('COMMIT')
    expect(await store.tidy()).toMatchObject({ whole: true, logBytes: 0 })
    expect(found('canary-')).toBe(0)
    reader.close()
  })

  it('F-53 the log is cut to nothing, whatever a long reader made of it, and deliveries are stored meanwhile', async () => {
    await say('first')
    const reader = openConnection(place.file)
    reader.raw.exec('BEGIN')
    reader.raw.prepare('SELECT count(*) FROM deliveries').get()
    for (let count = 0; count < 100; count++) expect(await store.accept(delivery())).toBe('stored')
    expect((await store.tidy()).logBytes).toBeGreaterThan(100_000)
    reader.raw.exec('COMMIT')
    reader.close()
    expect(await store.tidy()).toEqual({ whole: true, logBytes: 0 })
    expect((await store.counts()).deliveries).toEqual({ stored: 101 })
  })

  it('F-52 waits a moment for another process with a write, also after the log was cut without waiting', async () => {
    expect((await store.tidy()).whole).toBe(true)
    const writer = openConnection(place.file)
    writer.raw.exec('BEGIN IMMEDIATE')
    const before = performance.now()
    await expect(store.accept(delivery())).rejects.toMatchObject({ code: 'store_unavailable' })
    expect(performance.now() - before).toBeGreaterThan(200)
    writer.raw.exec('COMMIT')
    writer.close()
  })

  /** A message that came, was tried twice, and was answered. */
  async function say(text: string): Promise<void> {
    const body = Buffer.from(JSON.stringify({ text }))
    const facts = JSON.stringify({ values: { text }, sure: [] })
    await store.sort(await seqOf(store, delivery({ body })), sorted(item({ facts })), T0)
    const { fence, item: begun } = await begin(store)
    await store.keepOnce(fence, begun.id, 'price', '5')
    const reply = send({ cause: begun.cause, body: text.replace('canary', 'reply') })
    await store.openSend(reply, fence)
    const [due] = (await store.claimSends(claim())).held
    if (!due) throw new Error('no send is due')
    const refused = { as: 'refused', code: 'x', reason: 'x' } as const
    await store.settleSend(due.fence, reply.id, refused, { now: T0, goOn: false })
    const failed = { as: 'retry', reason: 'a reason of some length', at: T0, holds: false, finished: ['on:a'] } as const
    const { next } = await store.settleItem(fence, begun.id, failed, { now: T0, goOn: true })
    await store.settleItem(fence, next?.id ?? 0, { as: 'done' }, { now: T0, goOn: false })
  }

  /** How often the files hold a text, the log among them. */
  function found(text: string): number {
    const files = ['', '-wal'].map((suffix) => place.file + suffix).filter((file) => existsSync(file))
    return files.reduce((sum, file) => sum + readFileSync(file, 'latin1').split(text).length - 1, 0)
  }
})
