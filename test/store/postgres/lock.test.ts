import { Client } from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { openPostgres } from '../../../src/store/postgres/postgres-store.ts'
import { BEGIN_ALONE, LOCK_WRITER } from '../../../src/store/postgres/transaction.ts'
import { usedDatabase } from '../postgres-backend.ts'
import { beginning, claim, delivery, ingested, item, LEASE_MS, send, T0 } from '../samples.ts'
import { WAITING } from './waiting.ts'

const LOCKS = `BEGIN; ${LOCK_WRITER}`

it('a delivery is refused in time while another process keeps the lock, and is stored after it [R DEL-02]', async () => {
  const { url } = await usedDatabase()
  const store = await openPostgres(url)
  const other = new Client(url)
  await other.connect()
  onTestFinished(async () => {
    await other.end()
    await store.close()
  })
  await other.query(LOCKS)
  const refused: unknown[] = []
  store.accept(delivery(), { waitMs: 300 }).catch(({ code }: { code: unknown }) => refused.push(code))
  await expect.poll(() => refused).toEqual(['store_unavailable'])
  const waiting = store.accept(delivery(), { waitMs: 60_000 })
  await other.query('COMMIT')
  expect((await waiting).as).toBe('stored')
})

it('a process that stands still within a transaction keeps the lock from the others for seconds, and not for ever', async () => {
  const { url } = await usedDatabase()
  const store = await openPostgres(url)
  const other = new Client(url)
  const ended = new Promise((resolve) => other.on('error', resolve))
  await other.connect()
  onTestFinished(() => store.close())
  await other.query(BEGIN_ALONE)
  const { rows } = await other.query('SHOW idle_in_transaction_session_timeout')
  expect(rows).toEqual([{ idle_in_transaction_session_timeout: '2s' }])
  expect((await store.accept(delivery(), { waitMs: 60_000 })).as).toBe('stored')
  expect(await ended).toMatchObject({ code: '25P03' })
})

it('a process that starts waits for one that keeps the lock longer than a statement waits for it, and says so once', async () => {
  const { url } = await usedDatabase()
  const other = new Client(url)
  await other.connect()
  await other.query(LOCKS)
  let waits = 0
  const after = (ms: number, run: () => void) => {
    if (ms > 1_000) return () => {}
    waits++
    other.query('COMMIT').then(run, () => {})
    return () => {}
  }
  const said: string[] = []
  const store = await openPostgres(url, { timers: { after }, say: (line) => said.push(line) })
  onTestFinished(async () => {
    await store.close()
    await other.end()
  })
  expect(waits).toBeGreaterThan(0)
  expect(said).toEqual([expect.stringContaining('cannot be opened yet')])
})

it('a lease counts from the time at which the work begins, however long its asking waited for the lock [R DEL-03]', async () => {
  const { url, read } = await usedDatabase()
  let monotonicMs = 1_000
  const store = await openPostgres(url, { monotonic: () => monotonicMs })
  onTestFinished(() => store.close())
  const code = send({ lane: 'code/1', via: 'template' })
  await read(LOCKS)
  const asked = [
    store.claimItems(claim({ processName: 'claims' })),
    store.accept(delivery(), {
      ingested: ingested(item()),
      begin: { processName: 'accepts', now: T0, leaseMs: LEASE_MS },
    }),
    store.openSend(send({ customer: '255712000204' }), { begin: beginning({ processName: 'sends' }) }),
    store.openCode(code, [code.key], { processName: 'sends a code', leaseMs: LEASE_MS, now: T0 }),
  ]
  await expect.poll(async () => (await read(WAITING)).length).toBeGreaterThan(0)
  monotonicMs += 4_000
  await read('COMMIT')
  await Promise.all(asked)
  expect(await read('SELECT until, count(*) AS processes FROM processes GROUP BY 1')).toEqual([
    { until: T0 + 4_000 + LEASE_MS, processes: 4 },
  ])
})
