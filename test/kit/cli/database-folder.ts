import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import type { Store } from '../../../src/store/store.ts'
import { openSqlite } from '../../../src/store/sqlite/sqlite-store.ts'

/** A folder for each test, with an app's database. */
export function databaseFolder() {
  let folder = ''
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'switchhook-database-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))
  const file = () => join(folder, 'switchhook.db')

  return {
    file,
    folder: () => folder,
    /** What an app does between its opening and its end. */
    async inApp<T>(act: (store: Store) => Promise<T>, o?: { restored: boolean }): Promise<T> {
      const store = openSqlite(file(), o)
      try {
        return await act(store)
      } finally {
        await store.close()
      }
    },
  }
}
