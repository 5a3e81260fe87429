import { expect, it } from 'vitest'
import { LOCK_WRITER } from '../../../src/store/postgres/transaction.ts'
import { pruneAll } from '../contract/prune.ts'
import { usedDatabase } from '../postgres-backend.ts'
import { attempting, outboxOf } from '../acts.ts'
import { ACCEPTED, ASHA, DAY, send, T0, WHO } from '../samples.ts'
import { openThrough } from './through.ts'

const LATER = T0 + 40 * DAY

/** A store whose statements are counted. */
async function openCounted() {
  const { url, read } = await usedDatabase()
  const counted = { locks: 0, statements: 0, beforeLock: async () => {} }
  const store = await openThrough(url, async (client, query) => {
    counted.statements++
    if (query.text.includes(LOCK_WRITER)) {
      counted.locks++
      await counted.beforeLock()
    }
    return client.query(query)
  })
  const during = async (of: 'locks' | 'statements', work: () => Promise<unknown>) => {
    const before = counted[of]
    await work()
    return counted[of] - before
  }
  return { store, read, counted, during }
}

const customersOf = (count: number, at: number) => `
  INSERT INTO customers (number, customer, last_at, moved_at)
  SELECT 'default', (255700000000 + n)::text, ${at}, ${at} FROM generate_series(1, ${count}) n`

it('pruning reads thousands of customers and notifications of whom none is old, and keeps no writer waiting for that', async () => {
  const { store, read, during } = await openCounted()
  const prune = () => during('locks', () => pruneAll(store, { now: LATER }))
  const overNothing = await prune()
  await read(customersOf(5_000, LATER))
  await read(`
    INSERT INTO sends (seq, id, key, number, customer, lane, run, followed, cause, slot, state, via, body, attempts, next_at,
      possibly_twice, diverged, reply, marketing, withheld, created_at, settled_at)
    SELECT n, n::text, n::text, 'default', '${ASHA}', 'default/${ASHA}/out', 0, 0, 'app', n::text, 'accepted', 'template', '{}',
      1, 0, 0, 0, 0, 0, 0, ${LATER}, ${LATER} FROM generate_series(1, 2500) n`)
  expect(await prune()).toBeLessThanOrEqual(overNothing)
  expect(await outboxOf(store)).not.toEqual([])
})

it('a customer who writes after the search for old ones stays', async () => {
  const { store, read, counted } = await openCounted()
  await read(customersOf(3, T0))
  const next = { stage: 'customers', at: [] } as const
  counted.beforeLock = async () =>
    void (await read(`UPDATE customers SET last_at = ${LATER}, moved_at = ${LATER} WHERE customer = '255700000002'`))
  await store.prune({ now: LATER, bytesBefore: LATER - DAY, idsBefore: LATER - DAY, limit: 100, after: next })
  expect(await read('SELECT customer FROM customers')).toEqual([{ customer: '255700000002' }])
})

it('a status whose send was answered in another transaction at the same time is that send’s, and not dropped', async () => {
  const { store, read } = await openCounted()
  const one = send()
  const fence = await attempting(store, one)
  await store.settleSend(fence, one.id, ACCEPTED, { now: T0, goOn: false })
  await read(`
    INSERT INTO statuses (message, number, status, at, received_at, stray)
    SELECT message, 'default', 'read', ${T0}, ${T0}, 1 FROM (VALUES ('m1'), ('nobody-s')) AS of (message)`)
  expect(await pruneAll(store, { now: T0 + 2 * DAY + 1 })).toMatchObject({ strays: 1 })
  expect(await read('SELECT message, stray FROM statuses')).toEqual([{ message: 'm1', stray: null }])
})

it('the round trips of a forget do not grow with the sends that wait', async () => {
  const { store, during } = await openCounted()
  const forget = async (waiting: number) => {
    for (let count = 0; count < waiting; count++) await store.openSend(send({ ...WHO, dueAt: T0 + DAY + count }))
    return during('statements', () => store.forget(WHO, T0))
  }
  const ofOne = await forget(1)
  expect(await forget(30)).toBe(ofOne)
  expect((await outboxOf(store)).every(({ state }) => state === 'cancelled')).toBe(true)
})
