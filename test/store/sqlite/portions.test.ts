import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { operationsOver, type Operations } from '../../../src/store/store.ts'
import type { Steps, Tx } from '../../../src/store/database/steps.ts'
import type { Store } from '../../../src/store/store.ts'
import { type Connection, openConnection } from '../../../src/store/sqlite/connection.ts'
import { databaseStateOf } from '../../../src/store/sqlite/transaction.ts'
import { arrive } from '../acts.ts'
import { ASHA, DAY, delivery, ingested, item, T0 } from '../samples.ts'
import type { Pruned, PruneCursor } from '../../../src/store/maintenance/prune.ts'
import type { NewItem } from '../../../src/store/work/items.ts'
import { ownPlace } from './own-place.ts'

const ROWS = 300
/** A transaction is long once it has changed so many rows. */
const LONG_AFTER = 20
const PARKED: Partial<NewItem> = { state: 'parked', reason: 'x' }

describe('an operation on hundreds of rows', () => {
  let place: ReturnType<typeof ownPlace>
  let store: Store
  let connection: Connection
  let operations: Operations
  /** The rows that each transaction has changed. */
  let changes: number[]
  beforeEach(async () => {
    place = ownPlace()
    store = await place.open()
    connection = openConnection(place.file)
    changes = []
    const drive = async <T>(operation: (tx: Tx) => Steps<T>) => connection.drive(operation(txThat(() => false)))
    operations = operationsOver({ write, portion: write, persist: write, accept: write, read: drive })
  })
  afterEach(() => connection.close())

  /** One transaction, after which another connection stores a delivery. */
  async function write<T>(operation: (tx: Tx) => Steps<T>): Promise<T> {
    const { raw, drive } = connection
    const total = () => raw.prepare('SELECT total_changes()').pluck().get() as number
    const before = total()
    const isLong = () => total() - before >= LONG_AFTER
    const result = raw.transaction(() => drive(operation(txThat(isLong)))).immediate()
    changes.push(total() - before)
    expect((await store.accept(delivery())).as).toBe('stored')
    return result
  }

  const txThat = (isLong: () => boolean): Tx => ({
    databaseState: databaseStateOf(connection.sql),
    nextId: () => (connection.raw.prepare('SELECT max(id) + 1 FROM inbox').pluck().get() as number | null) ?? 1,
    wake() {},
    isLong,
    waitedMs: 0,
    alone() {},
  })

  /** All passes of a pruning long after; the answer counts the deliveries that it removed. */
  const prune = async () => {
    const later = T0 + 90 * 86_400_000
    const ages = { bytesBefore: later, idsBefore: later, now: later, limit: 250 }
    let removed = 0
    let after: PruneCursor | undefined
    do {
      const pruned: Pruned = await operations.prune({ ...ages, ...(after && { after }) })
      removed += pruned.removed
      after = pruned.next
    } while (after)
    return removed
  }

  /** So many items that wait for a person, each in its own lane. */
  const parked = async () => {
    const items = Array.from({ length: ROWS }, (_, idx) => item({ ...PARKED, idx, lane: `default/${idx}` }))
    await arrive(store, items)
    return items
  }

  /** So many deliveries without items. */
  const atRest = () => {
    const ignored = { ...ingested(), state: 'ignored' } as const
    return Promise.all(Array.from({ length: ROWS }, () => store.accept(delivery(), { ingested: ignored })))
  }

  const OPERATIONS: [string, () => Promise<() => Promise<unknown>>][] = [
    [
      'retryItems',
      async () => {
        await parked()
        const [row] = (await store.listDeliveries({ limit: 1 })).deliveries
        const ids = (row?.items ?? []).map(({ id }) => id)
        return async () => expect(await operations.retryItems(ids, T0)).toEqual(ids)
      },
    ],
    [
      'reingest',
      async () => {
        await atRest()
        const seqs = Array.from({ length: ROWS }, (_, index) => index + 1)
        return async () => expect(await operations.reingest(seqs)).toEqual(seqs)
      },
    ],
    [
      'prune',
      async () => {
        await atRest()
        return async () => expect(await prune()).toBe(ROWS)
      },
    ],
    [
      'prune, of what belongs to no delivery',
      async () => {
        fillSends("'accepted'", '1')
        fill(
          'inbox (id, idx, received_at, clock_offset, repeats, kind, number, lane, at, cause)',
          "i, 0, 0, 0, 0, 'window_closing', 'default', '', 0, i",
        )
        fill('statuses', "i, 'read', 0, 'default', NULL, 0, 1")
        fill('customers (number, customer, last_at, moved_at)', "'default', 'heard' || i, 0, 0")
        fill(
          'customers (number, customer, taken_by, taken_since, taken_until)',
          "'default', 'takenOver' || i, 'agent', 0, 1",
        )
        fill(
          'customers (number, customer, session, session_version, session_expires_at)',
          "'default', 'session' || i, '{}', 1, 1",
        )
        return async () => {
          await prune()
          const left = ['sends', 'inbox WHERE kind IS NOT NULL', 'statuses', 'customers'].map(rowsIn)
          expect(left).toEqual([0, 0, 0, 0])
        }
      },
    ],
    [
      'resumeSends',
      async () => {
        fillSends("'held'", 'NULL')
        return async () => expect(await operations.resumeSends({ restored: true })).toMatchObject({ restored: ROWS })
      },
    ],
    [
      'forget, and what follows',
      async () => {
        fillSends("'accepted'", '1')
        return async () => {
          await operations.forget({ number: 'default', customer: ASHA }, T0)
          while (await operations.eraseForgotten(250));
          expect((await store.counts()).sends).toEqual({})
        }
      },
    ],
  ]

  it.each(OPERATIONS)(
    'ends a transaction that takes long behind its row, and does all in the end: %s [F-99]',
    async (_name, prepare) => {
      const run = await prepare()
      await run()
      expect(changes.length).toBeGreaterThanOrEqual(ROWS / LONG_AFTER)
      expect(Math.max(...changes)).toBeLessThanOrEqual(2 * LONG_AFTER + WITH_IT)
    },
  )

  it('prune passes over identity claims, which may be millions, a part at a time, and removes them a part at a time [F-99]', async () => {
    const CLAIMS = 5_000
    const claims = 'inbox (id, idx, received_at, clock_offset, repeats, number, at, cause, identity, claimant)'
    const transactions = async () => {
      const before = changes.length
      await prune()
      return changes.length - before
    }
    fill(claims, `i, 0, ${T0 + 89 * DAY}, 0, 0, 'default', 0, '', i, 'b'`, CLAIMS)
    const withClaims = await transactions()
    expect(rowsIn("inbox WHERE cause = ''")).toBe(CLAIMS)
    connection.raw.exec("UPDATE inbox SET received_at = 0 WHERE cause = ''")
    await prune()
    expect(rowsIn("inbox WHERE cause = ''")).toBe(0)
    expect(Math.max(...changes)).toBeLessThanOrEqual(CLAIMS / 10)
    expect(withClaims - (await transactions())).toBeGreaterThanOrEqual(2)
  })

  it('prune reads no contents between a delivery and those of its items that were stored much later [F-99]', async () => {
    const BETWEEN = 5_000
    const seq = await arrive(store, [item(PARKED)])
    fill('contents (id, body, facts)', `${seq} + i, x'00', ''`, BETWEEN)
    fill(
      'inbox (id, idx, received_at, clock_offset, repeats, kind, number, lane, at, cause)',
      `${seq} + i, 0, ${T0 + 365 * DAY}, 0, 0, 'message', 'default', '', 0, i`,
      BETWEEN,
    )
    await store.reingest([seq])
    await store.ingest(seq, ingested(item({ state: 'ignored' }), item({ idx: 1, state: 'ignored' })), T0)
    let most = 0
    const { prepare } = connection.raw
    connection.raw.prepare = ((text: string) => {
      const statement = prepare.call(connection.raw, text) as ReturnType<Connection['sql']>
      const { all } = statement
      if (text.includes('FROM contents'))
        statement.all = (...values: unknown[]) => {
          const rows = all.call(statement, ...values)
          most = Math.max(most, rows.length)
          return rows
        }
      return statement
    }) as typeof prepare
    const ages = { bytesBefore: T0 + DAY, idsBefore: T0, now: T0 + 366 * DAY, limit: 1 }
    await operations.prune({ ...ages, after: { stage: 'bytes', at: [] } })
    expect(most).toBeGreaterThan(0)
    expect(most).toBeLessThan(BETWEEN / 2)
  })

  function fillSends(state: string, settledAt: string): void {
    fill(
      `sends (id, key, number, customer, lane, place, run, followed, cause, slot, state, via, body, attempts, next_at,
        possibly_twice, diverged, held_from, reply, marketing, withheld, created_at, settled_at)`,
      `i, i, 'default', ${ASHA}, 'default/' || i || '/out', NULL, 0, 0, 'app', i, ${state}, 'freeform', '{}', 0, 0,
        0, 0, 'ready', 0, 0, 0, 0, ${settledAt}`,
    )
  }

  /** @param values of a row, by its number `i`. */
  function fill(into: string, values: string, rows = ROWS): void {
    connection.raw.exec(`
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows})
      INSERT INTO ${into} SELECT ${values} FROM n`)
  }

  const rowsIn = (table: string) => connection.raw.prepare(`SELECT count(*) FROM ${table}`).pluck().get()
})

/** Rows that one row of an operation takes along at most: its lane, its content, its delivery. */
const WITH_IT = 4
