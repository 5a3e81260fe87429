import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openSqlite, type Store } from '../../src/store/open-sqlite.ts'
import { MIGRATIONS } from '../../src/store/schema.ts'
import { openFile } from '../../src/store/sqlite/connection.ts'
import type { Begun, Delivery, NewItem, Stored } from '../../src/store/types.ts'

let folder: string
let file: string
let now: number
let opened: Store[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'switchhook-store-'))
  file = join(folder, 'switchhook.db')
  now = 1_000_000
  opened = []
})

afterEach(async () => {
  for (const store of opened) await store.close()
  rmSync(folder, { recursive: true })
})

async function open() {
  const store = await openSqlite(file, { now: () => now })
  opened.push(store)
  return store
}

function read(text: string): unknown[] {
  const raw = new Database(file, { readonly: true })
  try {
    return raw.prepare(text).all()
  } finally {
    raw.close()
  }
}

interface Given {
  readonly customer?: string
  readonly at?: number
  readonly body?: string
  readonly identity?: string
  readonly binding?: string
  readonly subscription?: string
  readonly timestamp?: number
}

function given(id: string, o: Given = {}): [Delivery, readonly [NewItem]] {
  const { customer = 'ann', at = 1, body = id, subscription = 'shop', timestamp = 1 } = o
  const digest = createHash('sha256').update(body).digest()
  const { identity = id, binding = identity } = o
  return [
    {
      subscription,
      deliveryId: id,
      event: 'message',
      timestamp,
      digest,
      body: Buffer.from(body),
      receivedAt: now,
      clockOffset: 0,
    },
    [
      {
        kind: 'message',
        number: 'shop',
        customer,
        lane: `shop/${customer}`,
        at,
        facts: '{}',
        identity: { key: identity, binding: Buffer.from(binding) },
      },
    ],
  ]
}

const put = (store: Store, id: string, o: Given & { begin?: boolean } = {}) =>
  store.store(...given(id, o), { begin: o.begin ?? true })

function only(stored: Stored): Begun {
  if (stored.as !== 'stored' || stored.begun.length !== 1) throw new Error(`nothing began: ${JSON.stringify(stored)}`)
  return stored.begun[0] as Begun
}

const idOf = (stored: Stored) => (stored.as === 'stored' ? stored.id : stored.of)

describe('a delivery', () => {
  it('begins in the commit that stores it, and leaves no open row once it is done', async () => {
    const store = await open()
    const { fence } = only(await put(store, 'd1'))
    expect(await store.settle(fence, { as: 'done' }, { goOn: true })).toEqual({ held: true })
    expect(read('SELECT * FROM work')).toEqual([])
  })

  it('is stored once under its id', async () => {
    const store = await open()
    const first = await put(store, 'd1')
    expect(await put(store, 'd1', { timestamp: 2 })).toEqual({ as: 'duplicate', of: idOf(first) })
  })

  it('is a suspected replay under another id: it is counted, and its body is not stored again', async () => {
    const store = await open()
    const first = await put(store, 'd1')
    for (const id of ['d2', 'd3'])
      expect(await put(store, id, { body: 'd1' })).toEqual({ as: 'suspected_replay', of: idOf(first) })
    await store.close()
    opened = []
    expect(read('SELECT of, kind, count FROM copies')).toEqual([
      { of: idOf(first), kind: 'suspected_replay', count: 2 },
    ])
    expect(read('SELECT count(*) AS n FROM contents')).toEqual([{ n: 1 }])
  })

  it('with a known id and other bytes is a conflict that waits for a person, once per digest', async () => {
    const store = await open()
    await put(store, 'd1')
    const other = { body: 'other', identity: 'other' }
    expect(await put(store, 'd1', other)).toMatchObject({ as: 'stored', mark: 'conflict', begun: [] })
    expect(await put(store, 'd1', other)).toMatchObject({ as: 'duplicate' })
    expect(read('SELECT state FROM work ORDER BY item')).toEqual([{ state: 1 }, { state: 6 }])
  })

  it('with a known id, other bytes and the same message is a duplicate', async () => {
    const store = await open()
    await put(store, 'd1')
    expect(await put(store, 'd1', { body: 'rendered again', identity: 'd1' })).toMatchObject({ as: 'duplicate' })
  })

  it('of another subscription with the same message is kept and not handled', async () => {
    const store = await open()
    await put(store, 'd1')
    const again = await put(store, 'd2', { subscription: 'second', identity: 'd1' })
    expect(again).toMatchObject({ as: 'stored', mark: 'same_message', begun: [] })
    expect(read('SELECT count(*) AS n FROM work')).toEqual([{ n: 1 }])
  })

  it('that uses a message id for another message is handled and marked', async () => {
    const store = await open()
    await put(store, 'd1')
    const reused = await put(store, 'd2', { customer: 'bob', identity: 'd1', binding: 'other' })
    expect(reused).toMatchObject({ as: 'stored', mark: 'identity_reused' })
    only(reused)
  })
})

describe('a lane', () => {
  it('runs one item at a time, the oldest payload time first, and tells which is late', async () => {
    const store = await open()
    const first = only(await put(store, 'd1', { at: 5 }))
    for (const [id, at] of [
      ['d2', 9],
      ['d3', 3],
    ] as const)
      expect(await put(store, id, { at })).toMatchObject({ begun: [] })
    const { next } = await store.settle(first.fence, { as: 'done' }, { goOn: true })
    expect(next).toMatchObject({ late: true, attempts: 1 })
    const { next: last } = await store.settle((next as Begun).fence, { as: 'done' }, { goOn: true })
    expect(last).toMatchObject({ late: false })
    expect(read('SELECT at FROM work')).toEqual([{ at: 9 }])
  })

  it('has a head that never ran give way to an older message', async () => {
    const store = await open()
    await put(store, 'd1', { at: 5, begin: false })
    const older = await put(store, 'd2', { at: 3, begin: false })
    expect((await store.claim(10)).map(({ fence }) => fence.item)).toEqual([idOf(older)])
  })

  it('stores the arrivals of one commit in the order of their payload times', async () => {
    const store = await open()
    const [later, earlier] = await Promise.all([put(store, 'd1', { at: 5 }), put(store, 'd2', { at: 3 })])
    expect(later).toMatchObject({ begun: [] })
    only(earlier)
  })

  it('is held by a short back-off and left by a long one', async () => {
    const store = await open()
    const first = only(await put(store, 'd1'))
    const second = await put(store, 'd2')
    await store.settle(first.fence, { as: 'retry', due: now + 1_000, finished: ['a'] }, { goOn: true })
    expect(await store.claim(10)).toEqual([])
    now += 1_000
    const [again] = await store.claim(10)
    expect(again).toMatchObject({ attempts: 2, fence: { item: first.fence.item, run: 2 } })
    const { next } = await store.settle((again as Begun).fence, { as: 'retry', due: now + 60_000 }, { goOn: true })
    expect(next?.fence.item).toBe(idOf(second))
    expect(read('SELECT state, finished FROM work ORDER BY item')[0]).toEqual({ state: 3, finished: '["a"]' })
    now += 60_000
    expect(await store.claim(10)).toEqual([])
    const back = await store.settle((next as Begun).fence, { as: 'done' }, { goOn: true })
    expect(back.next).toMatchObject({ attempts: 3, fence: { item: first.fence.item } })
  })

  it.each(['parked', 'dead'] as const)('is left by an item that is %s', async (as) => {
    const store = await open()
    const first = only(await put(store, 'd1'))
    const second = await put(store, 'd2')
    expect(await store.settle(first.fence, { as, failure: 'no' }, { goOn: false })).toEqual({ held: true })
    expect((await store.claim(10)).map(({ fence }) => fence.item)).toEqual([idOf(second)])
  })

  it('is not claimed beyond the cap of its number', async () => {
    const store = await open()
    for (const customer of ['a', 'b', 'c']) await put(store, customer, { customer, begin: false })
    expect(await store.claim(10, 2)).toHaveLength(2)
  })

  it('is changed by one file only', () => {
    const sources = join(import.meta.dirname, '../../src/store')
    const writers = readdirSync(sources, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .filter((name) =>
        /(?:DELETE FROM|INSERT INTO|UPDATE(?: OR IGNORE)?) work\b/.test(readFileSync(join(sources, name), 'utf8')),
      )
    expect(writers).toEqual([join('sqlite', 'lanes.ts')])
  })
})

describe('a lease', () => {
  it('of a dead process frees what it ran, as the head of its lane', async () => {
    const [one, two] = [await open(), await open()]
    const { fence } = only(await put(one, 'd1', { at: 5 }))
    await put(one, 'd2', { at: 3 })
    now += 8_000
    await two.renew()
    expect(await two.takeOver()).toBe(0)
    now += 3_000
    expect(await two.takeOver()).toBe(1)
    const [begun] = await two.claim(10)
    expect(begun).toMatchObject({ attempts: 2, wasRunning: true, fence: { item: fence.item, run: 2 } })
  })

  it('that was taken over lets the earlier process change nothing and begin nothing', async () => {
    const [one, two] = [await open(), await open()]
    const { fence } = only(await put(one, 'd1'))
    now += 11_000
    await two.takeOver()
    expect(await one.settle(fence, { as: 'done' }, { goOn: true })).toEqual({ held: false })
    expect(await one.keepResult(fence, 'price', '1')).toBeUndefined()
    expect(await one.claim(10)).toEqual([])
    expect(await put(one, 'd2', { customer: 'bob' })).toMatchObject({ as: 'stored', begun: [] })
    expect(await one.renew()).toBe(false)
    expect(await two.claim(10)).toHaveLength(2)
  })

  it('that ends in order gives the attempt back, and the run number still rises', async () => {
    const store = await open()
    const { fence } = only(await put(store, 'd1'))
    await store.settle(fence, { as: 'released' }, { goOn: false })
    expect(await store.claim(1)).toMatchObject([{ attempts: 1, wasRunning: false, fence: { run: 2 } }])
  })
})

it('`once` keeps its first result', async () => {
  const store = await open()
  const { fence } = only(await put(store, 'd1'))
  expect(await store.keepResult(fence, 'price', '1')).toBe('1')
  expect(await store.keepResult(fence, 'price', '2')).toBe('1')
})

it('an arrival waits without blocking while another process writes', async () => {
  const store = await open()
  const other = new Database(file)
  other.exec('BEGIN IMMEDIATE')
  const storing = put(store, 'd1')
  await new Promise((resolve) => setImmediate(resolve))
  other.exec('COMMIT')
  other.close()
  only(await storing)
})

describe('the schema', () => {
  it('has at most 18 tables', async () => {
    await open()
    const tables = read("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    expect(tables.length).toBeLessThanOrEqual(18)
  })

  it('is brought to a later version, and refused by an older release', () => {
    openFile(file).close()
    openFile(file, [...MIGRATIONS, 'ALTER TABLE sends ADD COLUMN made_up TEXT']).close()
    expect(() => openFile(file)).toThrow(expect.objectContaining({ code: 'store_newer' }))
  })
})
