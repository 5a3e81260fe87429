import {
  chownSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { isAwaiting } from '../../../src/features/announcements/store/announcement-rows.ts'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Store } from '../../../src/store/store.ts'
import { holdSends } from '../../../src/store/outbox/restored.ts'
import type { Tx } from '../../../src/store/database/steps.ts'
import { type Connection, openConnection } from '../../../src/store/sqlite/connection.ts'
import { openSqlite } from '../../../src/store/sqlite/sqlite-store.ts'
import { databaseStateOf } from '../../../src/store/sqlite/transaction.ts'
import { arrive, begin, beginNew } from '../acts.ts'
import { ASHA, claim, DAY, item, send, T0 } from '../samples.ts'
import { announced, NEWS } from '../announced.ts'
import { read } from '../sqlite-backend.ts'
import { ownPlace } from './own-place.ts'

/** One transaction. */
const begunOver = ({ sql }: Connection): Tx => ({
  wake() {},
  databaseState: databaseStateOf(sql),
  nextId: () => 0,
  isLong: () => false,
  waitedMs: 0,
  alone() {},
})

describe('a database that was brought back from a backup', () => {
  let place: ReturnType<typeof ownPlace>
  let backup: string
  beforeEach(() => {
    place = ownPlace()
    backup = join(place.folder, 'backup.db')
  })

  const beside = () => `${place.file}.generation`
  const generation = () => Number(readFileSync(beside(), 'utf8'))

  async function before(work: (store: Store) => Promise<unknown>): Promise<void> {
    const store = await place.open()
    await work(store)
    await store.close()
  }

  /** Works, and takes a backup. */
  async function backedUp(store: Store): Promise<void> {
    await store.openSend(send({ lane: 'a', number: 'one' }))
    const begun = send({ lane: 'b' })
    await store.openSend(begun)
    const held = (await store.claimSends(claim())).begun.find(({ work }) => work.send.id === begun.id)
    if (!held) throw new Error('no send is due')
    await store.beginSend(held.fence, begun.id, 'freeform', T0)
    await store.compact()
    copyFileSync(place.file, backup)
  }

  const worked = async (store: Store) => {
    await backedUp(store)
    await store.compact()
  }

  function bringBack(): void {
    copyFileSync(backup, place.file)
    for (const suffix of ['-wal', '-shm']) rmSync(place.file + suffix, { force: true })
  }

  /** Works, takes a backup, works on, and opens the backup. */
  async function broughtBack(): Promise<Store> {
    await before(worked)
    bringBack()
    return place.open()
  }

  const states = async () => read(place.file, 'SELECT state, code FROM sends ORDER BY seq')
  const HELD = { state: 'held', code: 'restored' }

  it.each(['noticed', 'brought'])('pauses its announcements, which only a person resumes: %s', async (how) => {
    let id = 0
    await before(async (store) => (id = await announced(store, [ASHA])))
    if (how === 'brought') rmSync(beside())
    else {
      await before(worked)
      bringBack()
    }
    const store = await place.open()
    expect(store.restored?.why).toBe(how)
    await store.startAnnouncement(id, T0)
    expect(await store.announcement(id)).toMatchObject({ state: 'paused', reason: expect.stringContaining('backup') })
    await store.changeAnnouncement(id, 'running', { now: T0 })
    // Its recipient may have the message: only a retry by name sends it.
    expect(await store.announcement(id)).toMatchObject({ state: 'done', unknown: 1, reason: undefined })
    expect(await store.retryRecipients(id, { reasons: ['unknown'] })).toBe(0)
    expect(await store.retryRecipients(id, { reasons: ['restored'] })).toBe(1)
    expect(await store.announcement(id)).toMatchObject({ state: 'running', unknown: 0 })
  })

  it('keeps the messages of an announcement held through a pause, and cancels them with it for good', async () => {
    const first = await place.open()
    const id = await announced(first, [ASHA])
    const waits = send({ slot: `announcement ${NEWS.name} ${ASHA}`, onlyIf: () => isAwaiting(id, ASHA) })
    await first.openSend(waits)
    await first.compact()
    await first.close()
    rmSync(beside())
    const store = await place.open()
    expect(await store.retryRecipients(id, { reasons: ['restored'] })).toBe(1)
    await store.changeAnnouncement(id, 'running', { now: T0 })
    await store.changeAnnouncement(id, 'paused', { now: T0 })
    expect(await store.findSend({ id: waits.id })).toMatchObject({ state: 'held', code: 'restored' })
    await store.changeAnnouncement(id, 'cancelled', { now: T0 })
    expect(await store.findSend({ id: waits.id })).toMatchObject({ state: 'cancelled', possiblyTwice: true })
  })

  it('is noticed if the number beside it has risen since, and its open sends are held', async () => {
    const store = await broughtBack()
    expect(store.restored).toEqual({ why: 'noticed', held: 2 })
    expect(await states()).toEqual([HELD, HELD])
    for (const now of [T0, T0 + DAY]) expect((await store.claimSends(claim({ now }))).begun).toEqual([])
  })

  it.runIf(process.geteuid?.() === 0)(
    'is noticed by the user that the bot runs as, also after root has worked on the database it replaces',
    async () => {
      await (await place.open()).close()
      chownSync(place.file, 12_345, 12_345)
      await (await place.open()).close()
      expect(statSync(beside())).toMatchObject({ uid: 12_345, gid: 12_345 })
    },
  )

  it('is reported at each opening until its sends are let go, and noticed once', async () => {
    await (await broughtBack()).close()
    const store = await place.open()
    expect(store.restored).toEqual({ why: 'earlier', held: 2 })
    await store.resumeSends({ restored: true })
    await store.close()
    expect((await place.open()).restored).toBeUndefined()
  })

  it('is restored if its opener says so', async () => {
    await before(backedUp)
    expect((await place.open({ restored: true })).restored).toEqual({ why: 'asked', held: 2 })
    expect(await states()).toEqual([HELD, HELD])
  })

  it.each<[string, () => void]>([
    ['a first start', () => rmSync(place.file)],
    ['a start as ever', () => {}],
    ['a number that cannot be read', () => writeFileSync(beside(), 'x')],
  ])('is not seen in %s', async (what, make) => {
    await before(worked)
    if (what.startsWith('a first')) rmSync(beside())
    make()
    const store = await place.open()
    expect(store.restored).toBeUndefined()
    expect(await states()).not.toContainEqual(HELD)
  })

  it('is held if it was brought here with open sends and without its number; said once, and no more once they are let go [F-105]', async () => {
    await before(worked)
    rmSync(beside())
    const store = await place.open()
    expect(store.restored).toEqual({ why: 'brought', held: 2 })
    expect(await states()).toEqual([HELD, HELD])
    await store.resumeSends({ restored: true })
    await store.close()
    expect((await place.open()).restored).toBeUndefined()
  })

  it('is not held if it was brought here with no open send, is moved with its number, or was vacuumed [F-105]', async () => {
    await (await place.open()).close()
    rmSync(beside())
    expect((await place.open()).restored).toBeUndefined()
    await before(worked)
    for (const suffix of ['', '.generation']) renameSync(place.file + suffix, backup + suffix)
    for (const suffix of ['', '.generation']) copyFileSync(backup + suffix, place.file + suffix)
    const connection = openConnection(place.file)
    connection.raw.exec('VACUUM')
    connection.close()
    expect((await place.open()).restored).toBeUndefined()
  })

  it.each<[string, () => void]>([
    ['gone', () => rmSync(place.file)],
    ['empty', () => truncateSync(place.file)],
    ['gone, and its number cannot be read', () => (rmSync(place.file), writeFileSync(beside(), ''))],
  ])(
    'is not replaced in silence if it is %s: once it is back it continues, and a new one begins without its number [F-102]',
    async (_how, away) => {
      await before(backedUp)
      away()
      expect(() => openSqlite(place.file)).toThrow(
        expect.objectContaining({
          code: 'store_unavailable',
          message: expect.stringMatching(
            /put the database back\. If you removed it on purpose, start with a new one: rm '\/\S+switchhook\.db\.generation'/,
          ),
        }),
      )
      expect(readdirSync(place.folder)).not.toContain('switchhook.db-wal')
      bringBack()
      await before(async () => expect(await states()).toHaveLength(2))
      rmSync(place.file)
      rmSync(beside())
      expect((await place.open()).isNew).toBe(true)
    },
  )

  it('keeps its number beside the file for the owner alone, and raises it at each opening and compaction [F-88]', async () => {
    const mask = process.umask(0)
    try {
      const store = await place.open()
      expect(generation()).toBe(1)
      await store.compact()
      expect(generation()).toBe(2)
      await (await place.open()).close()
      expect(generation()).toBe(3)
      expect(statSync(beside()).mode & 0o777).toBe(0o600)
    } finally {
      process.umask(mask)
    }
  })

  it('refuses to open if that number cannot be kept, by name, and leaves nothing behind [F-54]', () => {
    mkdirSync(beside())
    expect(() => openSqlite(place.file)).toThrow(
      expect.objectContaining({ code: 'store_unavailable', message: expect.stringContaining(beside()) }),
    )
    expect(readdirSync(place.folder).sort()).toEqual(['switchhook.db', 'switchhook.db.generation'])
  })

  it('holds what its deliveries send again, and nothing that newer ones send [F-65]', async () => {
    await before((store) => arrive(store, [item({ cause: { identity: undefined, signed: 'signed:old' } })]))
    const store = await place.open({ restored: true })
    const { fence, item: old } = await begin(store)
    const again = await store.openSend(send({ cause: old.cause }), { fence })
    expect(again?.send).toMatchObject(HELD)
    await store.settleItem(fence, old.id, { as: 'done' }, { now: T0, goOn: false })
    const fresh = await beginNew(store)
    const opened = await store.openSend(send({ cause: fresh.item.cause }), { fence: fresh.fence })
    expect(opened?.send.state).toBe('ready')
  })

  it('cancels no send that was under way, since it may have gone out [F-65]', async () => {
    const store = await broughtBack()
    const [, underWay] = read(place.file, 'SELECT key FROM sends ORDER BY seq')
    expect(await store.cancelSend(underWay?.['key'] as string, T0 + DAY)).toBe(false)
    expect(await states()).toEqual([HELD, HELD])
  })

  it('lets go of its sends as they were, marked as possibly sent twice', async () => {
    const store = await broughtBack()
    let woken = 0
    store.onWork(() => woken++)
    expect(await store.resumeSends({ restored: true, number: 'one' })).toEqual({ throttles: [], held: 0, restored: 1 })
    expect(woken).toBe(1)
    expect(await states()).toEqual([{ state: 'ready', code: null }, HELD])
    expect(await store.resumeSends({ restored: true })).toMatchObject({ restored: 1 })
    expect(await store.resumeSends({ restored: true })).toMatchObject({ restored: 0 })
    const { begun } = await store.claimSends(claim({ now: T0 + DAY }))
    expect(begun.map(({ work }) => work.send)).toMatchObject([
      { state: 'attempting', possiblyTwice: true, attempts: 1, firstAttemptAt: T0 },
      { state: 'ready', possiblyTwice: true, nextAt: 0 },
    ])
  })

  it('has all its sends held by the next start, if the process ends while it holds them [F-65, F-99]', async () => {
    await fill(5)
    const connection = openConnection(place.file)
    connection.raw.transaction(() => connection.drive(holdSends(begunOver(connection), 2))).immediate()
    connection.close()
    const store = await place.open()
    expect(store.restored).toEqual({ why: 'earlier', held: 5 })
    expect(await store.resumeSends({ restored: true })).toMatchObject({ restored: 5 })
    await store.close()
    expect((await place.open()).restored).toBeUndefined()
  })

  /** So many sends that wait, each in its own lane. */
  async function fill(sends: number, number = (_index: number) => 'default'): Promise<void> {
    const all = Array.from({ length: sends }, (_, index) => send({ lane: `lane ${index}`, number: number(index) }))
    await before((store) => Promise.all(all.map((one) => store.openSend(one))))
  }

  it('lets a number go for good: what its deliveries send again goes out too, another number’s does not', async () => {
    const both = [item({ number: 'one', lane: 'one' }), item({ idx: 1, number: 'two', lane: 'two' })]
    await before((store) => arrive(store, both))
    const store = await place.open({ restored: true })
    await store.resumeSends({ restored: true, number: 'one' })
    const { begun } = await store.claimItems(claim())
    const opened = begun.map(({ fence, work }) =>
      store.openSend(send({ number: work.number, cause: work.cause }), { fence }),
    )
    expect((await Promise.all(opened)).map((one) => one?.send.state)).toEqual(['ready', 'held'])
  })

  it('holds what a conversation sends for a delivery that came back, though its cause is the conversation', async () => {
    await before((store) => arrive(store, [item()]))
    const store = await place.open({ restored: true })
    const { fence } = await begin(store)
    expect((await store.openSend(send({ cause: 'c_booking' }), { fence }))?.send.state).toBe('held')
  })

  it('holds the timers that came back until its sends are let go, of one number or of all; what is armed since comes due', async () => {
    const armed = async (store: Store, number: string, lastAt: number) =>
      arrive(store, [], T0, [{ number, customer: ASHA, lastAt, closing: [{ before: 1, dueAt: lastAt + DAY }] }])
    const due = async (store: Store) => {
      const { begun } = await store.claimItems(claim({ serviceNow: T0 + 2 * DAY }))
      return begun.map(({ work }) => work.number)
    }
    await before(async (store) => {
      for (const number of ['one', 'two', 'three']) await armed(store, number, T0)
    })
    const store = await place.open({ restored: true })
    expect(await due(store)).toEqual([])
    await armed(store, 'three', T0 + 1)
    expect(await due(store)).toEqual(['three'])
    await store.resumeSends({ restored: true, number: 'one' })
    expect(await due(store)).toEqual(['one'])
    await store.resumeSends({ restored: true })
    expect(await due(store)).toEqual(['two'])
  })

  it('has a timer that came due before and after it was brought back under the same cause, so that its sends have their keys', async () => {
    const first = await place.open()
    const closing = [{ before: 1, dueAt: T0 + DAY }]
    await arrive(first, [], T0, [{ number: 'default', customer: ASHA, lastAt: T0, closing }])
    await first.compact()
    copyFileSync(place.file, backup)
    const causes = [(await begin(first, { serviceNow: T0 + DAY })).item.cause]
    await first.close()
    bringBack()
    const store = await place.open()
    await store.resumeSends({ restored: true })
    causes.push((await begin(store, { serviceNow: T0 + DAY })).item.cause)
    expect(new Set(causes).size).toBe(1)
  })
})
