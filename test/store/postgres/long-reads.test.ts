import { Client } from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { readerOver } from '../../../src/store/store.ts'
import { sql } from '../../../src/store/database/sql.ts'
import { one } from '../../../src/store/database/steps.ts'
import type { Engine } from '../../../src/store/database/engine.ts'
import { openPostgres } from '../../../src/store/postgres/postgres-store.ts'
import { openPool } from '../../../src/store/postgres/pool.ts'
import { readOver } from '../../../src/store/postgres/transaction.ts'
import { usedDatabase } from '../postgres-backend.ts'
import { ASHA, T0 } from '../samples.ts'
import { WAITING } from './waiting.ts'

it('a read that may go through all rows, for a person who waits, has minutes, and any other has seconds', async () => {
  const { url } = await usedDatabase()
  await (await openPostgres(url)).close()
  const pool = await openPool(url)
  onTestFinished(() => pool.close())
  const timeout = () => one<{ value: string }>(sql`SELECT current_setting('statement_timeout') AS value`)
  const asked: { readonly value: string }[] = []
  const read: Engine['read'] = async (_operation, o) => {
    asked.push((await readOver(pool, timeout, o?.long ? { long: new Set() } : {})) ?? { value: 'none' })
    throw new Error('enough is known')
  }
  const store = readerOver(read, { held: undefined, version: async () => 1, close: async () => {} })
  await Promise.allSettled([store.counts(), store.countKept(ASHA), store.keptOf(ASHA)])
  await Promise.allSettled([store.listDeliveries({ limit: 1 }), store.listSends({ limit: 1 })])
  expect(asked).toEqual(Array.from({ length: 5 }, () => ({ value: '10min' })))
  asked.length = 0
  await Promise.allSettled([store.overview(), store.deliveriesWithId('01J'), store.waitingSince(T0)])
  expect(asked).toEqual(Array.from({ length: 3 }, () => ({ value: '5s' })))
})

it('reads that have minutes take two connections at most, however often they are asked for', async () => {
  const { url, read } = await usedDatabase()
  const store = await openPostgres(url)
  const locked = await lock(url)
  const asked = Array.from({ length: 8 }, () => store.listSends({ limit: 1 }))
  await expect.poll(() => read(WAITING)).toHaveLength(2)
  expect(await store.lastClockOffset()).toBe(0)
  expect(await read(WAITING)).toHaveLength(2)
  await locked.release()
  await Promise.all(asked)
  await store.close()
})

/** Keeps lists of sends waiting until it is released. */
async function lock(url: string) {
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query('BEGIN; LOCK TABLE switchhook.sends')
  onTestFinished(() => client.end())
  return { release: () => client.query('ROLLBACK') }
}
