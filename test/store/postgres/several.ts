import { onTestFinished } from 'vitest'
import { openPostgres } from '../../../src/store/postgres/postgres-store.ts'
import type { Store } from '../../../src/store/store.ts'
import { type TestDatabase, usedDatabase } from '../postgres-backend.ts'

/** Several stores over one database, as several processes would open it. */
export async function openSeveral(count: number): Promise<{ stores: Store[]; database: TestDatabase }> {
  const database = await usedDatabase()
  const stores = await Promise.all(Array.from({ length: count }, () => openPostgres(database.url)))
  onTestFinished(async () => void (await Promise.all(stores.map((store) => store.close()))))
  return { stores, database }
}
