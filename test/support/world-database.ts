import { openConnection } from '../../src/store/sqlite/connection.ts'
import { createMemoryDatabase } from '../../src/kit/testing/bot-process.ts'
import type { Store } from '../../src/store/store.ts'
import { rowsOf } from './world.ts'

/** The database of a world, which outlives the processes that open it. */
export interface WorldDatabase {
  /** Opens it as its only user: the process that held it before is gone. */
  open(): Store | Promise<Store>
  /** Runs a query over the tables. */
  read(sql: string): Promise<Record<string, unknown>[]>
  /** The rows of all tables, as JSON. */
  rows(): Promise<string>
  close(): Promise<void>
}

/** In the part of the suite that plays journeys over PostgreSQL. */
export const isPostgres = process.env['SWITCHHOOK_WORLDS_OVER'] === 'postgres'

/** SQLite in memory, or PostgreSQL. */
export async function openWorldDatabase(): Promise<WorldDatabase> {
  return isPostgres ? await inPostgres() : inMemory()
}

function inMemory(): WorldDatabase {
  const connection = openConnection(':memory:')
  const { open, close } = createMemoryDatabase(connection)
  return {
    open,
    read: async (sql) => connection.raw.prepare(sql).all() as Record<string, unknown>[],
    rows: async () => rowsOf(connection),
    close: async () => close(),
  }
}

async function inPostgres(): Promise<WorldDatabase> {
  const { openPlace } = await import('../store/postgres-backend.ts')
  const place = await openPlace()
  const { read } = place.database
  return {
    async open() {
      const store = await place.open()
      await read('UPDATE processes SET until = 0 WHERE dead = 0')
      return store
    },
    read,
    async rows() {
      return JSON.stringify(await place.view.snapshot(), (_, value: unknown) => textOf(value))
    },
    close: () => place.remove(),
  }
}

/** A Buffer has become its JSON by the time of this check. */
function textOf(value: unknown): unknown {
  const { type, data } = (value ?? {}) as { type?: unknown; data?: number[] }
  return type === 'Buffer' && data ? Buffer.from(data).toString('latin1') : value
}
