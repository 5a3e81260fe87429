import { openConnection } from '../stores/sqlite/connection.ts'
import { openSqlite } from '../stores/sqlite/index.ts'
import { FREE_ALL } from '../stores/sqlite/lanes.ts'
import type { Store } from '../stores/port/index.ts'

/** A database in memory that outlives the bots which open it, as a file would. */
export interface MemoryDatabase {
  /** Opens it as its only user: who held it before is gone. */
  open(): Store
  close(): void
}

export function createMemoryDatabase(): MemoryDatabase {
  const connection = openConnection(':memory:')
  const kept = { ...connection, close: () => {} }
  return {
    open() {
      const store = openSqlite(':memory:', { connect: () => kept })
      connection.raw.exec(FREE_ALL)
      return store
    },
    close: () => connection.close(),
  }
}
