import { Client } from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { openPostgres } from '../../../src/store/postgres/index.ts'
import { openPool } from '../../../src/store/postgres/pool.ts'
import { type HotTx, transactBeside } from '../../../src/store/postgres/transaction.ts'
import { makeDatabase } from '../postgres-backend.ts'
import { WAITING } from './waiting.ts'

const PROCESS = 'SELECT pg_backend_pid() AS pid'

/** A transaction that waits for the lock of all writers, which somebody else has. */
async function openBeginning() {
  const { url, read } = await makeDatabase()
  await (await openPostgres(url)).close()
  const pool = await openPool(url)
  const holder = new Client({ connectionString: url })
  await holder.connect()
  onTestFinished(async () => void (await Promise.all([holder.end(), pool.close()])))
  const transact = (work: (tx: HotTx) => Promise<readonly unknown[]>) => transactBeside(pool, work)
  const { results } = await transact((tx) => tx.rows(PROCESS, []))
  await holder.query('SELECT pg_advisory_lock(1400326251, 1)')
  let began = false
  const begun = transact(async () => {
    began = true
    return []
  })
  const ended = begun.then(
    () => 'committed',
    ({ state }: { state?: string }) => state,
  )
  await expect.poll(() => read(WAITING)).not.toEqual([])
  return {
    /** Ends what waits by a function of the server; the answer is the code of the error. */
    async end(by: 'pg_cancel_backend' | 'pg_terminate_backend') {
      await read(WAITING.replace('1 AS waits', `${by}(pid)`))
      const state = await ended
      await holder.query('SELECT pg_advisory_unlock_all()')
      return { state, began }
    },
    first: results,
    next: async () => (await transact((tx) => tx.rows(PROCESS, []))).results,
  }
}

it('a transaction whose beginning is cancelled says so and does nothing, and its connection goes on', async () => {
  const { end, first, next } = await openBeginning()
  expect(await end('pg_cancel_backend')).toEqual({ state: '57014', began: false })
  expect(await next()).toEqual(first)
})

it('a transaction whose connection ends as it begins says so and does nothing, and the next has another one', async () => {
  const { end, first, next } = await openBeginning()
  expect(await end('pg_terminate_backend')).toEqual({ state: '57P01', began: false })
  expect(await next()).not.toEqual(first)
})
