import { expect, it, onTestFinished } from 'vitest'
import { openPostgres } from '../../../src/store/postgres/postgres-store.ts'
import type { Store } from '../../../src/store/store.ts'
import { usedDatabase } from '../postgres-backend.ts'
import { beginNew } from '../acts.ts'
import { beginning, BEGINS, claim, delivery, ingested, item, send, T0 } from '../samples.ts'
import { WAITING } from './waiting.ts'

/** Two stores, of which one has an item begun; `refused` refuses what it asks, which is done all the same. */
async function openTwo() {
  const { url, read } = await usedDatabase()
  let late = 0
  const store = await openPostgres(url, { monotonic: () => performance.now() + late })
  const another = await openPostgres(url)
  onTestFinished(async () => {
    await Promise.all([store.close(), another.close()])
  })
  const begun = await beginNew(store)
  async function refused(ask: () => Promise<unknown>): Promise<void> {
    await read('BEGIN')
    await read('LOCK TABLE switchhook.writing IN EXCLUSIVE MODE')
    const asked = expect(ask()).rejects.toThrow('not done in time')
    await expect.poll(() => read(WAITING)).not.toEqual([])
    late = 60_000
    await asked
    await read('COMMIT')
  }
  return { store, another, read, ...begun, refused }
}

it('an item that began for a delivery that was refused meanwhile is given back, and begins elsewhere at once [R DEL-03]', async () => {
  const { store, another, fence, item: begun, refused } = await openTwo()
  await store.settleItem(fence, begun.id, { as: 'done' }, { now: T0, goOn: false })
  await refused(() => store.accept(delivery(), { ingested: ingested(item()), begin: BEGINS }))
  const claimed: number[] = []
  await expect
    .poll(async () => {
      const { begun } = await another.claimItems(claim({ processName: 'another' }))
      claimed.push(...begun.map(({ work }) => work.attempt))
      return claimed
    })
    .toEqual([1])
})

it('a send that began for a caller who was refused meanwhile goes out by another at once, and its attempt does not count [R DEL-03]', async () => {
  const { store, another, read, fence, refused } = await openTwo()
  const reply = send()
  await refused(() => store.openSend(reply, { fence, begin: beginning() }))
  const claimed: string[] = []
  await expect
    .poll(async () => {
      const { begun } = await another.claimSends(claim({ processName: 'another' }))
      claimed.push(...begun.map(({ work }) => work.send.id))
      return claimed
    })
    .toEqual([reply.id])
  expect(await read('SELECT state, attempts, first_attempt_at FROM sends')).toEqual([
    { state: 'ready', attempts: 0, first_attempt_at: null },
  ])
})

it.each([
  ['an item', 'work', (store: Store) => store.accept(delivery(), { ingested: ingested(item()), begin: BEGINS })],
  ['a send', 'sends', (store: Store) => store.openSend(send(), { begin: beginning() })],
] as const)(
  '%s whose release the database refuses is compared with what runs, and is not left as running [R DEL-03]',
  async (_, table, ask) => {
    const { store, read, fence, item: begun, refused } = await openTwo()
    await store.settleItem(fence, begun.id, { as: 'done' }, { now: T0, goOn: false })
    const woken: unknown[] = []
    store.onWork((work) => woken.push(work))
    await read(`
    CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION 'refused' USING ERRCODE = 'check_violation'; END $$;
    CREATE TRIGGER refuse BEFORE UPDATE ON ${table} FOR EACH ROW WHEN (OLD.place = 1 AND OLD.state <> NEW.state)
      EXECUTE FUNCTION public.refuse()`)
    onTestFinished(() => void read('DROP FUNCTION public.refuse() CASCADE'))
    await refused(() => ask(store))
    await expect.poll(() => woken).toContain('recheck')
    const [owner] = await read(`SELECT name FROM processes JOIN ${table} ON owner = processes.id`)
    const runs = await store.runsOf(table, String(owner?.['name']))
    expect(runs).toHaveLength(1)
    await store.freeRuns(table, runs, T0)
    expect(await read(`SELECT place, owner FROM ${table}`)).toEqual([{ place: 0, owner: null }])
  },
)
