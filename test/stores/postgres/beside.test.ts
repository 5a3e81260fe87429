import { expect, it, onTestFinished } from 'vitest'
import { openPostgres } from '../../../src/stores/postgres/index.ts'
import type { Store } from '../../../src/stores/port/index.ts'
import { makeDatabase, type TestDatabase } from '../postgres-backend.ts'
import { delivery, ingested, item, T0 } from '../samples.ts'

/** Several stores over one database, as several processes would open it. */
async function openSeveral(count: number): Promise<{ stores: Store[]; database: TestDatabase }> {
  const database = await makeDatabase()
  const stores = await Promise.all(Array.from({ length: count }, () => openPostgres(database.url)))
  onTestFinished(async () => void (await Promise.all(stores.map((store) => store.close()))))
  return { stores, database }
}

const COUNTED = 'SELECT count(*) AS rows, sum(repeats) AS repeats FROM switchhook.deliveries'

it('deliveries that come at once to one process under one id are stored once, and counted each [R DEL-02]', async () => {
  const { stores, database } = await openSeveral(1)
  const [store] = stores as [Store]
  const same = delivery()
  const answers = await Promise.all(Array.from({ length: 9 }, () => store.accept(same, { ingested: ingested(item()) })))
  expect(answers.map(({ as }) => as).sort()).toEqual([...Array(8).fill('duplicate'), 'stored'])
  expect(await database.read(COUNTED)).toEqual([{ rows: 1, repeats: '8' }])
})

it('the same deliveries to several processes at once, in another order each, are stored once [R DEL-02, F-8]', async () => {
  const { stores, database } = await openSeveral(3)
  const deliveries = Array.from({ length: 200 }, (_, index) => ({
    given: delivery(),
    ingested: ingested(
      item({ customer: `2557120${index % 20}`, lane: `default/2557120${index % 20}`, at: T0 + index }),
    ),
  }))
  const answers = await Promise.all(
    stores.flatMap((store, turn) =>
      deliveries
        .map((_, index) => deliveries[(index * (2 * turn + 1) + 67 * turn) % 200] as (typeof deliveries)[number])
        .map(({ given, ingested }) => store.accept(given, { ingested })),
    ),
  )
  expect(answers.filter(({ as }) => as === 'stored')).toHaveLength(200)
  expect(answers.filter(({ as }) => as === 'duplicate')).toHaveLength(400)
  expect(await database.read(COUNTED)).toEqual([{ rows: 200, repeats: '400' }])
  expect(await database.read('SELECT count(*) AS n FROM switchhook.items')).toEqual([{ n: 200 }])
})
