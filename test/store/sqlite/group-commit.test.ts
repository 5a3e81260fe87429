import { statSync } from 'node:fs'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Store } from '../../../src/store/store.ts'
import { BATCH } from '../../../src/store/sqlite/group-commit.ts'
import { beginNew, seqOf } from '../acts.ts'
import { ACCEPTED, claim, delivery, DONE, ingested, item, send, T0 } from '../samples.ts'
import { read } from '../sqlite-backend.ts'
import { openWatched, type Watched } from './own-place.ts'
import type { WorkKind } from '../../../src/store/database/steps.ts'

const NEXT = { now: T0, goOn: true }

describe('the group commit', () => {
  let place: Watched['place']
  let connections: Watched['connections']
  let time: Watched['time']
  let store: Store
  beforeEach(() => void ({ place, connections, time, store } = openWatched()))

  const rows = () => read(place.file, 'SELECT * FROM inbox WHERE idx = 0')
  const items = () => read(place.file, "SELECT state FROM work WHERE state <> 'unread' ORDER BY item")

  it('puts all that one turn of the event loop asks for into one commit', async () => {
    const { fence, item: begun } = await beginNew(store)
    const seq = await seqOf(store, delivery())
    const before = connections.commits
    const answers = await Promise.all([
      ...Array.from({ length: 60 }, () => store.accept(delivery())),
      store.settleItem(fence, begun.id, DONE, NEXT),
      store.ingest(seq, ingested(item({ customer: '255712000102' })), T0),
      store.openSend(send()),
      store.claimItems(claim()),
      store.renew('one', () => T0, 1),
    ])
    expect(connections.commits - before).toBe(1)
    expect(answers).toHaveLength(65)
    expect(rows()).toHaveLength(62)
  })

  it('puts no more than its limit into one commit, and the rest into the next ones', async () => {
    const before = connections.commits
    const all = await Promise.all(Array.from({ length: 2 * BATCH + 44 }, () => store.accept(delivery())))
    expect(all.every((answer) => answer.as === 'stored')).toBe(true)
    expect(connections.commits - before).toBe(3)
    expect(rows()).toHaveLength(2 * BATCH + 44)
  })

  it('resolves nothing before its commit: what is answered is in the file', async () => {
    const seen = await Promise.all(Array.from({ length: 10 }, () => store.accept(delivery()).then(() => rows().length)))
    expect(seen).toEqual(Array.from({ length: 10 }, () => 10))
  })

  it('lets a row fail alone: the others of its turn are stored, a settlement among them [R DEL-02]', async () => {
    const { fence, item: begun } = await beginNew(store)
    const outcomes = await Promise.allSettled([
      store.accept(delivery()),
      store.accept(delivery({ timestamp: 0.5 })),
      store.accept(delivery({ clockOffset: undefined as never })),
      store.settleItem(fence, begun.id, DONE, NEXT),
      store.accept(delivery()),
    ])
    expect(outcomes.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'rejected',
      'fulfilled',
      'fulfilled',
    ])
    expect(rows()).toHaveLength(3)
    expect(items()).toEqual([])
    expect(connections.opened.filter(({ raw }) => raw.open)).toHaveLength(1)
  })

  it('rejects every delivery of a commit that failed, stores none of them, and announces no work [R DEL-02, F-51]', async () => {
    const woken: (WorkKind | 'recheck')[] = []
    store.onWork((work) => woken.push(work))
    connections.failing = { code: 'SQLITE_IOERR_FSYNC', times: 1 }
    const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => store.accept(delivery())))
    for (const outcome of outcomes)
      expect(outcome).toMatchObject({
        status: 'rejected',
        reason: { code: 'store_unavailable', message: expect.stringContaining('SQLITE_IOERR_FSYNC') },
      })
    expect(rows()).toEqual([])
    expect(woken).toEqual([])
    expect((await store.accept(delivery())).as).toBe('stored')
  })

  it('tries a kept settlement again automatically until it lands, and loses the order of none [F-51]', async () => {
    const { fence, item: begun } = await beginNew(store)
    const reply = send()
    await store.openSend(reply)
    const [due] = (await store.claimSends(claim())).begun
    if (!due) throw new Error('no send is due')
    connections.failing = { code: 'SQLITE_FULL', times: 3 }
    const settled = Promise.all([
      store.settleSend(due.fence, reply.id, ACCEPTED, NEXT),
      store.settleItem(fence, begun.id, DONE, NEXT),
    ])
    for (let failure = 1; failure <= 3; failure++) {
      await new Promise(setImmediate)
      expect(items()).toEqual([{ state: 'running' }])
      expect(time.running).toBe(1)
      time.pass(250)
    }
    expect(await settled).toMatchObject([{ stands: true }, { stands: true }])
    expect(items()).toEqual([])
    expect((await store.findSend({ id: reply.id }))?.state).toBe('accepted')
  })

  it('has a delivery wait for room on a full disk as long as it may, and everything lands when there is some [R DEL-02, F-50]', async () => {
    const { fence, item: begun } = await beginNew(store)
    const pages = connections.opened.at(-1)?.raw.pragma('page_count', { simple: true }) as number
    const allow = (more: number) => connections.opened.at(-1)?.raw.pragma(`max_page_count = ${pages + more}`)
    allow(20)
    const told: string[] = []
    const big = (waitMs: number) =>
      store.accept(delivery({ body: Buffer.alloc(100_000) }), { waitMs }).then(
        ({ as }) => told.push(as),
        ({ code, message, cause }) => told.push(`${code}: ${message}, ${cause.code}`),
      )
    const impatient = big(1_000)
    const patient = big(4_000)
    const result = store.keepOnce(fence, begun.id, 'charge', '[1]')
    const settled = store.settleItem(fence, begun.id, DONE, NEXT)
    await pass(999)
    expect(told).toEqual([])
    await pass(1)
    await impatient
    expect(told).toEqual(['store_unavailable: the database did not take a write: SQLITE_FULL, SQLITE_FULL'])
    await pass(2_000)
    allow(1_000)
    await pass(250)
    await patient
    expect(told.slice(1)).toEqual(['stored'])
    expect([await result, await settled]).toMatchObject([true, { stands: true }])
    expect(connections.opened.filter(({ raw }) => raw.open)).toHaveLength(1)
    expect(read(place.file, 'PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }])
  })

  it.each([
    ['the disk is full', 'SQLITE_FULL'],
    ['its log may not grow, by a limit or a quota', 'SQLITE_IOERR_WRITE'],
  ])('empties its log into the database when %s, and repeats the same commit [F-50]', async (_why, code) => {
    for (let made = 0; made < 20; made++) await store.accept(delivery({ text: `${made} ${'x'.repeat(5_000)}` }))
    const logBytes = () => statSync(`${place.file}-wal`).size
    const before = logBytes()
    const opened = connections.opened.length
    connections.failing = { code, times: 3 }
    const all = Array.from({ length: 3 }, () => store.accept(delivery()))
    for (let failed = 1; failed <= 3; failed++) await pass(250)
    expect((await Promise.all(all)).map(({ as }) => as)).toEqual(['stored', 'stored', 'stored'])
    expect(logBytes()).toBe(before)
    expect(connections.opened).toHaveLength(opened)
  })

  it('rejects what it cannot land when it is closed, instead of waiting for ever', async () => {
    const { fence, item: begun } = await beginNew(store)
    connections.failing = { code: 'SQLITE_IOERR_FSYNC', times: 2 }
    const settled = store.settleItem(fence, begun.id, DONE, NEXT)
    await new Promise(setImmediate)
    const closing = store.close()
    await expect(settled).rejects.toMatchObject({ code: 'store_unavailable' })
    await closing
    expect(connections.opened.filter(({ raw }) => raw.open)).toEqual([])
    time.pass(1_000)
    expect(connections.opened.filter(({ raw }) => raw.open)).toEqual([])
  })

  /** Operations behind a failed commit wait until that is tried again. */
  async function pass(ms: number): Promise<void> {
    await new Promise(setImmediate)
    time.pass(ms)
    await new Promise(setImmediate)
  }
})
