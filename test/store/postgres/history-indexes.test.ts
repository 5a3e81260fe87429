import { expect, it, onTestFinished } from 'vitest'
import { openPostgres } from '../../../src/store/postgres/postgres-store.ts'
import { makeDatabase } from '../postgres-backend.ts'
import { ASHA } from '../samples.ts'

it('the first history makes its indexes, whichever process asks for it', async () => {
  const { url, read } = await makeDatabase()
  const found = () => read("SELECT indisvalid AS valid FROM pg_index WHERE indexrelid::regclass::text LIKE '%said'")
  const stores = [await openPostgres(url), await openPostgres(url)]
  onTestFinished(async () => void (await Promise.all(stores.map((store) => store.close()))))
  expect(await found()).toEqual([])
  const who = { number: 'default', customer: ASHA }
  expect(await Promise.all(stores.map((store) => store.history(who, 10)))).toEqual([
    { received: [], sent: [] },
    { received: [], sent: [] },
  ])
  expect(await found()).toEqual([{ valid: true }, { valid: true }])
})
