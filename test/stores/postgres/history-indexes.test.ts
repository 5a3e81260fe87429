import { Client } from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { monotonic, realTimers } from '../../../src/base/clock.ts'
import { createHistoryIndexes } from '../../../src/stores/postgres/history-indexes.ts'
import { openPostgres } from '../../../src/stores/postgres/index.ts'
import { patiently } from '../../../src/stores/postgres/patience.ts'
import { openPool } from '../../../src/stores/postgres/pool.ts'
import { makeDatabase } from '../postgres-backend.ts'
import { WAITING } from './waiting.ts'

async function openIndexes(processes: number) {
  const { url, read } = await makeDatabase()
  await (await openPostgres(url)).close()
  const pools = await Promise.all(Array.from({ length: processes }, () => openPool(url)))
  onTestFinished(async () => void (await Promise.all(pools.map((pool) => pool.close()))))
  return {
    url,
    read,
    /** As over tables that are large. */
    made: pools.map((pool) => createHistoryIndexes({ pool, timers: realTimers, largeBytes: 0 })),
    left: createHistoryIndexes({ pool: pools[0] as (typeof pools)[number], timers: realTimers }),
    found: () =>
      read(`
        SELECT relname AS name, indisvalid AS valid FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
        WHERE relname LIKE '%said' ORDER BY 1`),
  }
}

const BOTH = [
  { name: 'items_said', valid: true },
  { name: 'sends_said', valid: true },
]

it('indexes of a history over large tables are made by one of several processes, while others write', async () => {
  const { url, read, made, found } = await openIndexes(3)
  const writer = new Client({ connectionString: url, options: '-c search_path=switchhook' })
  await writer.connect()
  onTestFinished(() => writer.end())
  await writer.query('SELECT pg_advisory_lock(1400326251, 1); BEGIN; UPDATE items SET at = at')
  const time = { timers: realTimers, monotonic, isClosed: () => false }
  const making = Promise.all(made.map((see) => patiently(see, time)))
  await expect.poll(() => read(`${WAITING} AND query LIKE 'CREATE INDEX%'`)).not.toEqual([])
  await read("SET lock_timeout = '10s'; UPDATE items SET at = at")
  await writer.query('COMMIT')
  await making
  expect(await found()).toEqual(BOTH)
})

it('an index of a history that a process has left half made is made anew', async () => {
  const { made, found, read } = await openIndexes(1)
  await read("CREATE INDEX items_said ON items (number, customer, id) WHERE kind = 'message'")
  await read("UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'items_said'::regclass")
  await made[0]?.()
  expect(await found()).toEqual(BOTH)
})

it('indexes of a history over small tables are left to the first question', async () => {
  const { left, found } = await openIndexes(1)
  await left()
  expect(await found()).toEqual([])
})
