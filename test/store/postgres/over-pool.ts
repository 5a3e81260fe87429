import { Pool, type PoolClient } from 'pg'
import { onTestFinished } from 'vitest'
import { openPostgres } from '../../../src/store/postgres/postgres-store.ts'
import type { PostgresPool } from '../../../src/store/postgres/pool.ts'
import { type TestDatabase, usedDatabase } from '../postgres-backend.ts'

/**
 * A store over a pool that keeps the codes of all errors. `between` does something to a connection
 * before each transaction, as a pooler does that gives it to others meanwhile.
 */
export async function openOverPool(
  { between = () => {}, ...o }: { between?: (client: PoolClient) => unknown } & Parameters<typeof openPostgres>[1] = {},
  made?: TestDatabase,
) {
  const { url, read } = made ?? (await usedDatabase())
  const pool = new Pool({ connectionString: url })
  const faults: unknown[] = []
  const watched: PostgresPool = {
    async connect() {
      const client = await pool.connect()
      await between(client)
      return {
        on: (event, listener) => client.on(event as 'error', listener),
        removeListener: (event, listener) => client.removeListener(event, listener),
        release: (destroy) => client.release(destroy),
        async query(query) {
          try {
            return await client.query(query)
          } catch (error) {
            faults.push((error as { code?: unknown }).code)
            throw error
          }
        },
      }
    },
  }
  const store = await openPostgres(watched, o)
  // The start proves that a lock excludes.
  faults.length = 0
  onTestFinished(async () => {
    await store.close()
    await pool.end()
  })
  return { store, faults, read, url }
}
