import { SwitchhookError } from '../../base/errors.ts'
import { readerOver } from '../operations/reader.ts'
import { heldSends } from '../operations/sends/restored.ts'
import { MIGRATIONS } from '../operations/tables/schema.ts'
import { NotUpToDate } from '../port/reader.ts'
import type { Reader } from '../operations/reader.ts'
import { shownDatabase } from './address.ts'
import { unavailable } from './faults.ts'
import { checkServer, newerRelease, versionOf } from './open.ts'
import { openPool, type OpenPool } from './pool.ts'
import { openSession, type Session } from './session.ts'
import { abandon, BEGIN_READ, readOver } from './transaction.ts'

/**
 * Opens a database that an app may be working on, to look into it: it is neither migrated nor written.
 *
 * @throws SwitchhookError `store_unavailable` if it cannot be read (with the cause `NotUpToDate` if an app's start mends
 * that); `store_newer`.
 */
export async function openPostgresReader(address: string): Promise<Reader> {
  const pool = await openPool(address)
  try {
    const { held } = await looking(pool, async (session) => {
      await checkServer(session)
      const version = await versionOf(session)
      if (version > MIGRATIONS.length) throw newerRelease(version)
      if (version < MIGRATIONS.length) throw notUpToDate(address)
      await session.script(BEGIN_READ)
      return { held: await session.drive(heldSends()) }
    })
    return readerOver((operation, o) => readOver(pool, operation, o), {
      held,
      // The next transaction's number rises with each that writes.
      version: () =>
        looking(pool, (session) => session.script('SELECT pg_current_snapshot()::text AS version')).then(versionIn),
      close: pool.close,
    })
  } catch (error) {
    await pool.close()
    throw error instanceof SwitchhookError ? error : unavailable('the database cannot be opened', error)
  }
}

function versionIn(rows: readonly unknown[]): string {
  return (rows[0] as { version: string }).version
}

async function looking<T>(pool: OpenPool, look: (session: Session) => Promise<T>): Promise<T> {
  const session = await openSession(pool)
  try {
    return await look(session)
  } finally {
    await abandon(session)
  }
}

function notUpToDate(address: string): SwitchhookError {
  const cause = new NotUpToDate()
  return new SwitchhookError(
    'store_unavailable',
    `the database ${shownDatabase(address)} cannot be opened: ${cause.message}`,
    {
      cause,
    },
  )
}
