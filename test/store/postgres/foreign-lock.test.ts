import { Client } from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { arrive } from '../acts.ts'
import { ASHA, delivery, ingested, item, LEASE_MS, T0 } from '../samples.ts'
import type { Store } from '../../../src/store/store.ts'
import { openSeveral } from './several.ts'

it('somebody else’s lock on the row of one customer makes this customer wait and nobody else, in all processes [R DEL-02]', async () => {
  const { stores, database } = await openSeveral(2)
  const window = (customer: string) => [{ number: 'default', customer, lastAt: T0 }]
  const others = Array.from({ length: 10 }, (_, index) => `2557120002${10 + index}`)
  for (const customer of [ASHA, ...others]) await arrive(stores[0] as Store, [item({ customer })], T0, window(customer))
  const foreign = new Client({ connectionString: database.url, options: '-c search_path=switchhook' })
  await foreign.connect()
  onTestFinished(() => foreign.end())
  await foreign.query('BEGIN')
  await foreign.query('SELECT 1 FROM customers WHERE customer = $1 FOR UPDATE', [ASHA])

  const accept = (customer: string, process: number) =>
    (stores[process] as Store).accept(delivery(), {
      ingested: {
        ...ingested(item({ customer, at: T0 + 1 })),
        windows: [{ number: 'default', customer, lastAt: T0 + 1 }],
      },
      begin: { processName: `${process}`, now: T0, leaseMs: LEASE_MS },
      waitMs: 60_000,
    })
  let waited = 0
  const ofAsha = [0, 1, 0].map((process) => accept(ASHA, process).then(() => waited++))
  for (let round = 0; round < 5; round++) {
    const stored = await Promise.all(others.map((customer, index) => accept(customer, index % 2)))
    expect(stored.map(({ as }) => as)).toEqual(others.map(() => 'stored'))
  }
  expect(waited, 'of the customer whose row is locked').toBe(0)
  await foreign.query('COMMIT')
  await Promise.all(ofAsha)
  expect(await database.read('SELECT count(*) AS n FROM inbox WHERE customer = $1', [ASHA])).toEqual([{ n: 4 }])
})
