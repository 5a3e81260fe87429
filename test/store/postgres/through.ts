import { Pool, type PoolClient } from 'pg'
import { onTestFinished } from 'vitest'
import { openPostgres } from '../../../src/store/postgres/postgres-store.ts'
import type { PostgresPool } from '../../../src/store/postgres/pool.ts'

type Query = { readonly text: string }

/** A store whose statements `ask` hands on. `between` does something to a connection before each transaction. */
export async function openThrough(
  url: string,
  ask: (client: PoolClient, query: Query) => Promise<unknown>,
  { between = () => {}, ...o }: { between?: (client: PoolClient) => unknown } & Parameters<typeof openPostgres>[1] = {},
) {
  const pool = new Pool({ connectionString: url })
  const watched: PostgresPool = {
    async connect() {
      const client = await pool.connect()
      await between(client)
      return {
        on: (event, listener) => client.on(event as 'error', listener),
        removeListener: (event, listener) => client.removeListener(event, listener),
        release: (destroy) => client.release(destroy),
        query: (query) => ask(client, query as Query) as never,
      }
    },
  }
  const store = await openPostgres(watched, o)
  onTestFinished(async () => {
    await store.close()
    await pool.end()
  })
  return store
}
