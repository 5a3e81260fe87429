import { expect, it, onTestFinished, vi } from 'vitest'
import type { Accepted } from '../../../src/store/types/types.ts'
import type { Store } from '../../../src/store/store.ts'
import { delivery, ingested, item, LEASE_MS, T0 } from '../samples.ts'
import { placeOnDisk } from '../sqlite-backend.ts'

it('an item does not begin in a lane that another process holds [R DEL-03, F-55]', async () => {
  const place = placeOnDisk()
  onTestFinished(() => place.remove())
  const one = await openAsProcess(place.file)
  const two = await openAsProcess(place.file)
  const held = await arrive(one, 'one')
  const other = await arrive(two, 'two')
  expect(held.started).toBeDefined()
  expect(other.started).toBeUndefined()
})

/** Opens the store with its own modules, as another process does. */
async function openAsProcess(file: string): Promise<Store> {
  vi.resetModules()
  const { openSqlite } = await import('../../../src/store/sqlite/sqlite-store.ts')
  const store = openSqlite(file)
  onTestFinished(() => store.close())
  return store
}

function arrive(store: Store, owner: string): Promise<Accepted> {
  const room = { take: () => true, give: () => {} }
  return store.accept(delivery(), { ingested: ingested(item()), begin: { owner, now: T0, leaseMs: LEASE_MS, room } })
}
