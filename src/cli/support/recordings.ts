import { createHmac, randomBytes } from 'node:crypto'
import type { Reader } from '../../stores/port/reader.ts'

/** How many deliveries are in memory at a time. */
const AT_ONCE = 100

/** Yields the recorded deliveries that match, in the order of their arrival. */
export async function* recordedIn(reader: Reader, query: { readonly event?: string; readonly receivedFrom?: number }) {
  let after = 0
  for (;;) {
    const page = await reader.recordedDeliveries({ ...query, after, limit: AT_ONCE })
    yield* page
    const last = page.at(-1)
    if (!last || page.length < AT_ONCE) return
    after = last.seq
  }
}

/**
 * The key for pseudonyms, derived from the database's secret for `tap()` ids, so that each export has the same
 * pseudonyms. They reveal nothing about that secret.
 */
export async function pseudonymKey(reader: Reader): Promise<Uint8Array> {
  return createHmac('sha256', (await reader.knownSecret('taps')) ?? randomBytes(32))
    .update('inbox export')
    .digest()
}
