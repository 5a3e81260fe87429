import { Client } from 'pg'
import { expect, onTestFinished } from 'vitest'
import { openPostgres } from '../../../src/store/postgres/index.ts'
import type { Store } from '../../../src/store/store.ts'
import { makeDatabase, type TestDatabase } from '../postgres-backend.ts'
import { WAITING } from './waiting.ts'

/** Several stores over one database, as several processes would open it. */
export async function openSeveral(count: number): Promise<{ stores: Store[]; database: TestDatabase }> {
  const database = await makeDatabase()
  const stores = await Promise.all(Array.from({ length: count }, () => openPostgres(database.url)))
  onTestFinished(async () => void (await Promise.all(stores.map((store) => store.close()))))
  return { stores, database }
}

/**
 * Another process has put an item into the only lane and is about to commit: what is asked meanwhile has begun by then, and
 * does not see that item. The answer comes once `asked` waits and the commit is done.
 */
export async function besideAnArrival<T>(database: TestDatabase, asked: () => Promise<T>): Promise<T> {
  const other = new Client({ connectionString: database.url, options: '-c search_path=switchhook' })
  await other.connect()
  onTestFinished(() => other.end())
  await other.query('BEGIN; UPDATE lanes SET moved_at = 1')
  await other.query(`
    INSERT INTO items (id, seq, idx, kind, number, customer, lane, at, facts_place, cause, holds, state, ready_at, created_at)
    SELECT id + 1, seq, 1, kind, number, customer, lane, at + 1, facts_place, cause, 0, 'stored', 0, created_at FROM items`)
  const answer = asked()
  const waiting = `${WAITING} AND locktype IN ('transactionid', 'tuple')`
  await expect.poll(async () => (await other.query(waiting)).rowCount).toBeGreaterThan(0)
  await other.query('COMMIT')
  return answer
}
