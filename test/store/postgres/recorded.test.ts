import { expect, it, onTestFinished, vi } from 'vitest'
import { recordedDeliveries } from '../../../src/store/reads/list-deliveries.ts'
import { openPostgres } from '../../../src/store/postgres/index.ts'
import { openPool } from '../../../src/store/postgres/pool.ts'
import { readOver } from '../../../src/store/postgres/transaction.ts'
import { makeDatabase } from '../postgres-backend.ts'
import { arrive, delivery, item, seqOf } from '../samples.ts'

const WITHOUT_BYTES = 6_000

it('recorded deliveries are found behind any number that have lost their bytes, some thousands of rows in each read', async () => {
  const { url, read } = await makeDatabase()
  const [store, pool] = await Promise.all([openPostgres(url), openPool(url)])
  onTestFinished(async () => void (await Promise.all([store.close(), pool.close()])))
  await arrive(store, [item()])
  await read(`
    INSERT INTO deliveries
      SELECT (jsonb_populate_record(d, jsonb_build_object('seq', n, 'delivery_id', n, 'timestamp', n, 'body_place', NULL))).*
      FROM deliveries d, generate_series(2, ${WITHOUT_BYTES}) n;
    SELECT setval('places', ${WITHOUT_BYTES})`)
  const seqs = [1, await seqOf(store, delivery()), await seqOf(store, delivery()), await seqOf(store, delivery())]

  const reading = vi.fn((operation: Parameters<typeof readOver>[1]) => readOver(pool, operation))
  const recorded = async (after: number, limit: number) => {
    reading.mockClear()
    const found = await recordedDeliveries(reading as Parameters<typeof recordedDeliveries>[0], { after, limit })
    return { seqs: found.map(({ seq }) => seq), reads: reading.mock.calls.length }
  }
  expect(await recorded(0, 9)).toEqual({ seqs, reads: 4 })
  expect(await recorded(0, 1)).toEqual({ seqs: seqs.slice(0, 1), reads: 1 })
  expect(await recorded(1, 2)).toEqual({ seqs: seqs.slice(1, 3), reads: 4 })
})
