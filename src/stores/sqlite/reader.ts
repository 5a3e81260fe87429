import { readerOver } from '../operations/reader.ts'
import { heldSends } from '../operations/sends/restored.ts'
import type { Steps } from '../operations/steps.ts'
import type { Reader } from '../operations/reader.ts'
import type { Connection } from './connection.ts'
import { openToRead } from './open-to-read.ts'
import { newerSchema } from './schema-version.ts'

/**
 * Opens a database that an app may be working on, to look into it: it is neither created nor migrated nor written (if no
 * app runs, SQLite leaves an empty log beside it, which the next app clears).
 *
 * @throws SwitchhookError as `openToRead` does.
 */
export function openReader(file: string): Reader {
  const connection = openToRead(file)
  const { raw, drive, close } = connection
  return readerOver(async (steps) => readOver(connection, steps), {
    held: drive(heldSends()),
    version: async () => raw.pragma('data_version', { simple: true }) as number,
    close: async () => close(),
  })
}

/** Reads straight from a connection. */
export function readOver<T>(
  { sql, drive }: Connection,
  operation: (tx: { newerSchema(): number | undefined }) => Steps<T>,
): T {
  return drive(operation({ newerSchema: () => newerSchema(sql) }))
}
