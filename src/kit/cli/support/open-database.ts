import { isA } from '../../../base/errors.ts'
import type { Store, Reader } from '../../../store/store.ts'
import { isPostgres, shownDatabase } from '../../../store/postgres/address.ts'
import { openPostgresReader } from '../../../store/postgres/postgres-reader.ts'
import { openPostgres } from '../../../store/postgres/postgres-store.ts'
import { openSqlite } from '../../../store/sqlite/sqlite-store.ts'
import { openReader } from '../../../store/sqlite/sqlite-reader.ts'
import { advice } from './advice.ts'
import { environment, type Io, pathOf } from './io.ts'

export const DATABASE_OPTION = [
  '--database <name>',
  "the app's database, a file or postgres://… (env: SWITCHHOOK_DATABASE; default: ./switchhook.db)",
] as const

export interface DatabaseFlags {
  readonly database?: string
  readonly json?: boolean
}

export function databaseOf(io: Io, { database }: DatabaseFlags): string {
  const named = database ?? environment(io, 'SWITCHHOOK_DATABASE') ?? 'switchhook.db'
  return isPostgres(named) || named === ':memory:' ? named : pathOf(io, named)
}

export function nothingRecorded(io: Io, flags: DatabaseFlags): Error {
  return new Error(
    `nothing is recorded in ${shownDatabase(databaseOf(io, flags))}: let the app receive deliveries first; their bytes are kept for as long as its \`retention\` says`,
  )
}

export async function withReader<T>(io: Io, flags: DatabaseFlags, use: (reader: Reader) => Promise<T>): Promise<T> {
  return useAndClose(flags, await openForReading(databaseOf(io, flags)), use)
}

export async function openForReading(database: string): Promise<Reader> {
  return isPostgres(database) ? await openPostgresReader(database) : openReader(database)
}

/**
 * Opens the app's database for writing, beside a running app. Never creates a database. Never migrates one, because a
 * running app of an older release could not continue.
 */
export async function withStore<T>(
  io: Io,
  flags: DatabaseFlags,
  work: (store: Store) => Promise<T>,
  o: { readonly restored?: boolean } = {},
): Promise<T> {
  const database = databaseOf(io, flags)
  // `openForReading` throws if the database does not exist, or is of another release.
  await (await openForReading(database)).close()
  const schemaOwner = environment(io, 'SWITCHHOOK_SCHEMA_OWNER')
  const store = isPostgres(database) ? openPostgres(database, { ...o, schemaOwner }) : openSqlite(database, o)
  return useAndClose(flags, await store, work)
}

interface Closable {
  close(): Promise<void>
}

async function useAndClose<T, S extends Closable>(
  flags: DatabaseFlags,
  opened: S,
  use: (opened: S) => Promise<T>,
): Promise<T> {
  try {
    return await use(opened)
  } catch (error) {
    if (isA(error, Error)) error.message = advice(flags, error.message)
    throw error
  } finally {
    await opened.close()
  }
}
