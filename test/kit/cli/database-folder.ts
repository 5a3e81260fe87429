import { join } from 'node:path'
import { beforeEach } from 'vitest'
import type { Store } from '../../../src/store/store.ts'
import { openSqlite } from '../../../src/store/sqlite/sqlite-store.ts'
import { temporaryFolder } from '../../support/folder.ts'

/** A folder for each test, with an app's database. */
export function databaseFolder() {
  let folder = ''
  beforeEach(() => void (folder = temporaryFolder()))
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
