import { existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import type { Store } from '../../src/store/store.ts'
import { type Connection, openConnection } from '../../src/store/sqlite/connection.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite-store.ts'
import type { Backend, Place, View } from './backend.ts'

export const sqlite: Backend = { name: 'sqlite', place: async () => placeOnDisk(openUnordered) }

/**
 * Rows come in the reverse of SQLite's usual order unless a query orders them: the suite must not rely on that order.
 */
export function openUnordered(file: string): Connection {
  const connection = openConnection(file)
  connection.raw.pragma('reverse_unordered_selects = ON')
  const { raw } = connection
  const prepare = raw.prepare.bind(raw)
  raw.prepare = (text: string) => {
    prepared.add(text)
    return prepare(text)
  }
  return connection
}

/** The statements that stores of the suite have prepared. */
export const prepared = new Set<string>()

const IN_MEMORY = '/dev/shm'
const ENOUGH_BYTES = 2 ** 30

/** Where a sync costs nothing, if this machine has such a place: it took half of the time of these tests. */
function fastFolder(): string {
  if (!existsSync(IN_MEMORY)) return tmpdir()
  const { bavail, bsize } = statfsSync(IN_MEMORY)
  return bavail * bsize > ENOUGH_BYTES ? IN_MEMORY : tmpdir()
}

export interface PlaceOnDisk extends Place {
  readonly folder: string
  readonly file: string
  open(o?: Parameters<typeof openSqlite>[1]): Promise<Store>
}

/** A new folder with one file. */
export function placeOnDisk(connect = openConnection): PlaceOnDisk {
  const folder = mkdtempSync(join(fastFolder(), 'switchhook-store-'))
  const file = join(folder, 'switchhook.db')
  const opened: Store[] = []
  return {
    folder,
    file,
    async open(o = {}) {
      const store = openSqlite(file, { connect, ...o })
      opened.push(store)
      return store
    },
    view: viewOf(file),
    async setSchema(version) {
      const other = openConnection(file)
      other.raw.pragma(`user_version = ${version}`)
      other.close()
    },
    async setDigest(digest) {
      const other = openConnection(file)
      other.raw.exec("DELETE FROM meta WHERE name = 'schema_digest'")
      if (digest !== undefined) other.raw.prepare("INSERT INTO meta VALUES ('schema_digest', ?)").run(digest)
      other.close()
    },
    async remove() {
      await Promise.all(opened.map((store) => store.close()))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function viewOf(file: string): View {
  return {
    lanes: async () =>
      read(
        file,
        `SELECT lane AS key, 'item' AS kind FROM work WHERE place < 2
          UNION SELECT lane, 'send' FROM sends WHERE place < 2 ORDER BY 1`,
      ) as unknown as Awaited<ReturnType<View['lanes']>>,
    bodies: async () => read(file, 'SELECT 1 FROM contents WHERE body IS NOT NULL').length,
    identityClaims: async () => read(file, 'SELECT 1 FROM inbox WHERE identity IS NOT NULL').length,
    async statuses(of) {
      const rows = read(
        file,
        `SELECT message FROM statuses WHERE ${of === 'sends' ? 'stray IS NULL' : 'stray = 1'} ORDER BY message`,
      )
      return rows.map((row) => row['message'] as string)
    },
    async windowOf(number, customer) {
      const [found] = read(file, 'SELECT last_at FROM customers WHERE number = ? AND customer = ?', [number, customer])
      return (found?.['last_at'] as number | null | undefined) ?? undefined
    },
    async snapshot() {
      const tables = read(file, "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
      return tables.map(({ name }) => ({ name, rows: read(file, `SELECT * FROM ${String(name)}`) }))
    },
  }
}

export type Row = Readonly<Record<string, unknown>>

/** Reads with its own connection. */
export function read(file: string, query: string, values: readonly unknown[] = []): Row[] {
  const raw = new Database(file, { readonly: true })
  try {
    return raw.prepare<unknown[], Row>(query).all(...values)
  } finally {
    raw.close()
  }
}
