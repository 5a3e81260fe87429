import { type TestDatabase, usedDatabase } from '../postgres-backend.ts'
import { openThrough } from './through.ts'

/**
 * A store over a pool that keeps the codes of all errors. `between` does something to a connection
 * before each transaction, as a pooler does that gives it to others meanwhile.
 */
export async function openOverPool(o: Parameters<typeof openThrough>[2] = {}, made?: TestDatabase) {
  const { url, read } = made ?? (await usedDatabase())
  const faults: unknown[] = []
  const store = await openThrough(
    url,
    (client, query) =>
      client.query(query).catch((error: { code?: unknown }) => {
        faults.push(error.code)
        throw error
      }),
    o,
  )
  // The start proves that a lock excludes.
  faults.length = 0
  return { store, faults, read, url }
}
