import { onTestFinished } from 'vitest'
import type { openPostgres } from '../../../src/store/postgres/postgres-store.ts'
import { openThrough } from './through.ts'

/** A store that asks one statement after the other, and stops in front of one when a test wants it to. */
export async function openHeld(url: string, o: Parameters<typeof openPostgres>[1] = {}) {
  const asked: string[] = []
  const faults: unknown[] = []
  let gate: { pattern: RegExp; came: () => void; open: Promise<void> } | undefined
  const store = await openThrough(
    url,
    async (client, query) => {
      const here = gate?.pattern.test(query.text) ? gate : undefined
      if (here) {
        gate = undefined
        // A busy machine may hold it for longer than a server lets a transaction stand still.
        if (!query.text.startsWith('BEGIN')) await client.query('SET LOCAL idle_in_transaction_session_timeout = 0')
        here.came()
        await here.open
      }
      asked.push(query.text)
      return client.query(query).catch((error: { code?: unknown }) => {
        faults.push(error.code)
        throw error
      })
    },
    o,
  )
  asked.length = 0
  faults.length = 0
  /** Stops in front of the next statement like this. */
  function hold(pattern: RegExp) {
    const { promise: open, resolve: release } = Promise.withResolvers<void>()
    const { promise: came, resolve } = Promise.withResolvers<void>()
    gate = { pattern, came: resolve, open }
    onTestFinished(() => release())
    return { came, release }
  }
  return { store, asked, faults, hold }
}
