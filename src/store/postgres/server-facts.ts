import { openPool } from './pool.ts'
import { askServer } from './session.ts'

/** The settings of a server that the promises of the store depend on. */
export interface ServerFacts {
  /** It writes what is committed to its disk, and whole pages after a checkpoint. */
  readonly durable: boolean
  /** A standby, or a database that may only be read. */
  readonly readOnly: boolean
}

const FACTS = `
  SELECT current_setting('fsync') = 'on' AND current_setting('full_page_writes') = 'on' AS durable,
    pg_is_in_recovery() OR current_setting('default_transaction_read_only') = 'on' AS "readOnly"`

/** @throws SwitchhookError, DatabaseFault */
export async function lookAtServer(address: string): Promise<ServerFacts> {
  const pool = await openPool(address)
  try {
    return await askServer<ServerFacts>(pool, FACTS)
  } finally {
    await pool.close()
  }
}
