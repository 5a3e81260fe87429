import { expect, it } from 'vitest'
import { makeDatabase } from '../postgres-backend.ts'
import { beginNew } from '../acts.ts'
import { item, T0 } from '../samples.ts'
import { openOverPool } from './over-pool.ts'

/** A store whose tables somebody alters, as a migration of the app's own may do by mistake. */
async function openAltered() {
  const { store, ...seen } = await openOverPool({}, await makeDatabase())
  const handle = async (at: number) => {
    const { fence, item: begun } = await beginNew(store, [item({ at })])
    return store.settleItem(fence, begun.id, { as: 'done' }, { now: T0, goOn: false })
  }
  return { ...seen, handle }
}

it('a column whose type is changed under connections that keep plans of it costs no delivery, and no second attempt [R DEL-02]', async () => {
  const { read, faults, handle } = await openAltered()
  expect(await handle(T0)).toMatchObject({ stands: true })
  await read('ALTER TABLE customers ALTER COLUMN handled_at TYPE numeric, ALTER COLUMN last_at TYPE numeric')
  for (let at = T0 + 1; at <= T0 + 3; at++) expect(await handle(at)).toMatchObject({ stands: true })
  expect(await read('SELECT item FROM work')).toEqual([])
  expect(faults, 'one refused plan, because statements have no names then').toEqual(['0A000'])
})
