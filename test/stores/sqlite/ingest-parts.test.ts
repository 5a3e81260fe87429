import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { operationsOver, type Operations } from '../../../src/stores/operations/store.ts'
import type { Steps, Tx } from '../../../src/stores/operations/steps.ts'
import type { NewItem, Store } from '../../../src/stores/port/index.ts'
import { type Connection, openConnection } from '../../../src/stores/sqlite/connection.ts'
import { transact } from '../../../src/stores/sqlite/transaction.ts'
import { claim, delivery, ingested, item, itemsOf, named, seqOf, T0 } from '../samples.ts'
import { placeOnDisk } from '../sqlite-backend.ts'

const CUSTOMERS = ['255712000101', '255712000102', '255712000103']
const MESSAGES = 400

describe('a batch of hundreds of messages', () => {
  let place: ReturnType<typeof placeOnDisk>
  let store: Store
  let connection: Connection
  let operations: Operations
  /** The rows that each transaction has changed. */
  let changes: number[]
  /** After so many transactions the process is gone. */
  let lives: number
  beforeEach(async () => {
    place = placeOnDisk()
    store = await place.open()
    connection = openConnection(place.file)
    changes = []
    lives = Number.POSITIVE_INFINITY
    operations = operationsOver({ write, portion: write, keep: write, accept: write, read: write })
  })
  afterEach(async () => {
    connection.close()
    await place.remove()
  })

  /** A transaction that is long once it has changed a hundred rows, and after which another connection stores a delivery. */
  async function write<T>(operation: (tx: Tx) => Steps<T>): Promise<T> {
    if (changes.length >= lives) throw new Error('the process is gone')
    const total = () => connection.raw.prepare('SELECT total_changes()').pluck().get() as number
    const before = total()
    const isLong = () => total() - before >= 100
    const [result] = transact(connection, [(tx) => tx.drive(operation({ ...tx, isLong }))], () => {})
    changes.push(total() - before)
    expect((await store.accept(delivery({ subscription: 'other' }))).as).toBe('stored')
    return result as T
  }

  const waiting = async () => (await store.pending(1_000)).filter(({ subscription }) => subscription === 'default')

  it('is stored in small transactions, between which others write, and is pending until the last of them [F-106]', async () => {
    const seq = await seqOf(store, delivery())
    expect(await operations.ingest(seq, ingested(...messages()), T0)).toEqual([])
    expect(changes.length).toBeGreaterThan(10)
    expect(Math.max(...changes)).toBeLessThan(200)
    expect((await store.counts()).items).toEqual({ stored: CUSTOMERS.length * MESSAGES })
    expect(await waiting()).toEqual([])
  })

  it('goes on where a process ended between two parts: nothing is missing, and nothing is there twice [F-106]', async () => {
    const seq = await seqOf(store, delivery())
    await interrupted(seq, 3)
    expect(await waiting()).toMatchObject([{ seq }])
    expect(await store.ingest(seq, ingested(...messages()), T0)).toEqual([])
    expect(await waiting()).toEqual([])
    const all = await itemsOf(store)
    expect(all.map(({ idx }) => idx).toSorted((a, b) => a - b)).toEqual(messages().map(({ idx }) => idx))
    expect(all.every(({ state }) => state === 'stored')).toBe(true)
    // No facts are left over from an insert that found its item there.
    const facts = connection.raw.prepare('SELECT count(*) FROM contents WHERE facts IS NOT NULL').pluck().get()
    expect(facts).toBe(all.length)
  })

  it('has the oldest messages of each customer first, whoever looks between two parts [F-106]', async () => {
    await interrupted(await seqOf(store, delivery()), 3)
    const here = await itemsOf(store)
    expect(here.length).toBeGreaterThan(0)
    for (const customer of CUSTOMERS) {
      const there = here.filter((one) => one.customer === customer).map(({ at }) => at)
      const oldest = messages()
        .filter((one) => one.customer === customer)
        .map(({ at }) => at)
      expect(there.toSorted((a, b) => a - b)).toEqual(oldest.toSorted((a, b) => a - b).slice(0, there.length))
    }
  })

  it('leaves what was handled between a crash and the rest of it as it is [F-106]', async () => {
    const seq = await seqOf(store, delivery())
    await interrupted(seq, 3)
    const { held } = await store.claimItems(claim({ limit: 1 }))
    for (const { fence, work } of held) await store.settleItem(fence, work.id, { as: 'done' }, { now: T0, goOn: false })
    await store.ingest(seq, ingested(...messages()), T0)
    expect((await store.counts()).items).toEqual({ done: 1, stored: CUSTOMERS.length * MESSAGES - 1 })
  })

  it('that is ingested again takes the place of its parked items in parts too, after a crash as well [F-106]', async () => {
    const seq = await seqOf(store, delivery())
    const parked = messages().map((one) => ({ ...one, state: 'parked', reason: 'x' }) as const)
    await store.ingest(seq, ingested(...parked, item({ ...PARKED, idx: parked.length })), T0)
    expect(await store.reingest([seq])).toEqual([seq])
    await interrupted(seq, 2)
    await store.ingest(seq, ingested(...messages()), T0)
    expect((await store.counts()).items).toEqual({ stored: CUSTOMERS.length * MESSAGES })
  })

  it('that is the first delivery in other bytes is compared part by part [F-106]', async () => {
    const first = delivery()
    await store.ingest(await seqOf(store, first), ingested(...messages()), T0)
    const anew = async () => {
      const again = delivery({ deliveryId: first.deliveryId })
      await store.accept(again)
      return (await waiting())[0]?.seq ?? 0
    }
    const other = messages().map((one) => (one.idx === 700 ? { ...one, identity: UNKNOWN } : one))
    const conflict = (items: readonly NewItem[]) => ({ ...ingested(...items), state: 'conflict' }) as const
    expect(await store.ingest(await anew(), conflict(other), T0)).toEqual([{ idx: 0, identity: 'conflict' }])
    expect(await store.ingest(await anew(), conflict(messages()), T0)).toEqual([])
    expect(await waiting()).toEqual([])
    const { deliveries } = await store.counts()
    expect(deliveries).toMatchObject({ conflict: 1, rendered_anew: 1 })
  })

  /** The process that ingests it is gone after so many transactions. */
  async function interrupted(seq: number, transactions: number): Promise<void> {
    lives = transactions
    await expect(operations.ingest(seq, ingested(...messages()), T0)).rejects.toThrow('the process is gone')
  }
})

const PARKED = { state: 'parked', reason: 'x' } as const
const UNKNOWN = { key: 'upstream:unknown', binding: 'x' }

/** Messages of three customers by turns, whose payload times rise and fall. */
function messages(): readonly NewItem[] {
  return Array.from({ length: CUSTOMERS.length * MESSAGES }, (_, idx) => {
    const customer = CUSTOMERS[idx % CUSTOMERS.length] as string
    const at = T0 - ((idx * 7_919) % 100_003)
    return named({ key: `upstream:${idx}`, binding: `${idx}` }, { idx, customer, lane: `default/${customer}`, at })
  })
}
