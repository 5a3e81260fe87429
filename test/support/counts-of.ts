import { openReader } from '../../src/store/sqlite/sqlite-reader.ts'
import type { Store } from '../../src/store/store.ts'

/** Counts of what a database file holds, by state. */
export async function countsOf(file: string): ReturnType<Store['counts']> {
  const reader = openReader(file)
  try {
    return await reader.counts()
  } finally {
    await reader.close()
  }
}
