import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import type { Store } from '../../src/stores/port/index.ts'
import { openSqlite } from '../../src/stores/sqlite/index.ts'
import type { Backend, Place, Row, Table, View } from './backend.ts'

export const sqlite: Backend = { name: 'sqlite', place: async () => placeOnDisk() }

/** Rows beside what they say, which lies elsewhere. */
const WITH_CONTENTS: Partial<Record<Table, string>> = {
  deliveries:
    'SELECT d.*, (SELECT content FROM contents WHERE place = d.body_place) AS body FROM deliveries d ORDER BY seq',
  items:
    "SELECT i.*, coalesce((SELECT content FROM contents WHERE place = i.facts_place), '{}') AS facts FROM items i ORDER BY id",
}

/** A folder of its own with one file. */
export function placeOnDisk(): Place & { readonly folder: string; readonly file: string } {
  const folder = mkdtempSync(join(tmpdir(), 'switchhook-store-'))
  const file = join(folder, 'switchhook.db')
  const opened: Store[] = []
  return {
    folder,
    file,
    async open(o = {}) {
      const store = openSqlite(file, o)
      opened.push(store)
      return store
    },
    view: viewOf(file),
    rows: async (table) => read(file, WITH_CONTENTS[table] ?? `SELECT * FROM ${table}`),
    async remove() {
      await Promise.all(opened.map((store) => store.close()))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function viewOf(file: string): View {
  return {
    async windowOf(number, customer) {
      const rows = read(file, 'SELECT number, customer, last_at FROM windows')
      return rows.find((row) => row['number'] === number && row['customer'] === customer)?.['last_at'] as number
    },
  }
}

/** Reads with a connection of its own. */
export function read(file: string, query: string): Row[] {
  const raw = new Database(file, { readonly: true })
  try {
    return raw.prepare<[], Row>(query).all()
  } finally {
    raw.close()
  }
}
