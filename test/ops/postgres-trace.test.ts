import { it } from 'vitest'
import { makeDatabase } from '../store/postgres-backend.ts'
import { expectOneTrace } from './traced-roles.ts'

it('a delivery that one process receives and another handles is one trace over PostgreSQL too', async () => {
  const { url } = await makeDatabase()
  await expectOneTrace({ SWITCHHOOK_DATABASE: url })
})
