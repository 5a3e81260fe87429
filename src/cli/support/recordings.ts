import { createHmac, randomBytes } from 'node:crypto'
import type { Reader } from '../../stores/port/reader.ts'

/**
 * The key for pseudonyms, derived from the database's secret for `tap()` ids, so that each export has the same
 * pseudonyms. They reveal nothing about that secret.
 */
export async function pseudonymKey(reader: Reader): Promise<Uint8Array> {
  return createHmac('sha256', (await reader.knownSecret('taps')) ?? randomBytes(32))
    .update('inbox export')
    .digest()
}
