import { SwitchhookError } from '../../base/errors.ts'
import { countHeldSends } from '../outbox/restored.ts'
import { type Reader, readerOver } from '../store.ts'
import { MIGRATIONS } from '../database/schema.ts'
import { shownDatabase } from './address.ts'
import { openPool } from './pool.ts'
import { unavailable } from './server-faults.ts'
import { checkServer, versionOf } from './open.ts'
import { askServer } from './connection.ts'
import { readOver, within } from './transaction.ts'
import { NotUpToDate } from '../database/schema.ts'

/**
 * Opens a database to read. It neither migrates nor writes. @throws SwitchhookError `store_newer`; `store_unavailable`,
 * with `NotUpToDate` as its cause if starting an app fixes that.
 */
export async function openPostgresReader(address: string): Promise<Reader> {
  const pool = await openPool(address)
  try {
    await within(pool, 'BEGIN READ ONLY', async (connection) => {
      await checkServer(connection)
      if ((await versionOf(connection)) < MIGRATIONS.length) throw notUpToDate(address)
    })
    return readerOver((operation, { long } = {}) => readOver(pool, operation, long ? { long: new Set() } : {}), {
      held: await readOver(pool, countHeldSends),
      // The snapshot contains the id of the next transaction, which rises with each transaction that writes.
      version: async () => (await askServer<{ at: string }>(pool, 'SELECT pg_current_snapshot()::text AS at')).at,
      close: pool.close,
    })
  } catch (error) {
    await pool.close()
    throw error instanceof SwitchhookError ? error : unavailable('the database cannot be opened', error)
  }
}

function notUpToDate(address: string): SwitchhookError {
  const cause = new NotUpToDate()
  const what = `the database ${shownDatabase(address)} cannot be opened: ${cause.message}`
  return new SwitchhookError('store_unavailable', what, { cause })
}

export interface ServerState {
  readonly durable: boolean
  /** True if the server cannot be written to, for example a standby. */
  readonly readOnly: boolean
}

const SERVER_STATE = `
  SELECT current_setting('fsync') = 'on' AND current_setting('full_page_writes') = 'on' AS durable,
    pg_is_in_recovery() OR current_setting('default_transaction_read_only') = 'on' AS "readOnly"`

/** Reads the state of a server. @throws SwitchhookError, DatabaseFault */
export async function lookAtServer(address: string): Promise<ServerState> {
  const pool = await openPool(address)
  try {
    return await askServer<ServerState>(pool, SERVER_STATE)
  } finally {
    await pool.close()
  }
}
