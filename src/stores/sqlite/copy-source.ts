import { createHash } from 'node:crypto'
import Database from 'better-sqlite3'
import { type CopiedRow, type CopiedTable, type CopySource, InUse } from '../port/reader.ts'
import { isBusy } from './connection.ts'
import { FREE_ALL } from './free-abandoned-lanes.ts'
import { holdSendsNextTime } from './generation.ts'
import { openToRead } from './open-to-read.ts'

/** Rows that belong to the file, and not to what is in it. */
const OF_THE_FILE = "name = 'generation'"

/** The longest text that certainly fits into an index of PostgreSQL. */
const LONGEST_KEY = 2_600
const ROWS_AT_ONCE = 1_000
const BYTES_AT_ONCE = 2_097_152

/**
 * Opens a file that is to be copied, as its only user: no bot can start over it meanwhile. With `onlyLook` a bot may work
 * on it, and what is counted is of the moment.
 *
 * @throws InUse if another process has the file open; SwitchhookError as `openToRead`.
 */
export function openCopySource(file: string, { onlyLook = false } = {}): CopySource {
  const reading = openToRead(file)
  if (onlyLook) return sourceOver(reading.raw, file)
  reading.close()
  return sourceOver(openAlone(file), file)
}

function openAlone(file: string): Database.Database {
  const raw = new Database(file, { timeout: 0 })
  try {
    // SQLite gives an exclusive lock in WAL mode only if no other connection is open.
    raw.pragma('locking_mode = EXCLUSIVE')
    raw.pragma('synchronous = FULL')
    raw.exec(`BEGIN IMMEDIATE; ${FREE_ALL}; COMMIT`)
    return raw
  } catch (error) {
    raw.close()
    if (!isBusy(error)) throw error
    throw new InUse(`another process has ${file} open: stop the bot, and end the commands that look into it`, {
      cause: error,
    })
  }
}

function sourceOver(raw: Database.Database, file: string): CopySource {
  const names = raw
    .prepare<[], string>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'sqlite_*' ORDER BY name",
    )
    .pluck()
    .all()
  return {
    state: stateOf(raw),
    bytes:
      (raw.pragma('page_count', { simple: true }) as number) * (raw.pragma('page_size', { simple: true }) as number),
    tables: names.map((name) => tableOf(raw, name)),
    rows: (table, after, skip = 0) => portion(raw, table, after, skip),
    retire: () => holdSendsNextTime(file),
    close: () => raw.close(),
  }
}

/** Made of what every opening by a bot changes, and of a secret that no two databases share. */
function stateOf(raw: Database.Database): number {
  const generation = raw.prepare<[], number>("SELECT value FROM meta WHERE name = 'generation'").pluck().get()
  const taps = raw.prepare<[], Buffer>("SELECT value FROM secrets WHERE name = 'taps'").pluck().get()
  return createHash('sha256')
    .update(taps ?? '')
    .update(`/${generation ?? 0}`)
    .digest()
    .readUIntBE(0, 6)
}

interface ColumnInfo {
  readonly name: string
  readonly type: 'INTEGER' | 'TEXT' | 'BLOB'
  readonly pk: number
}

function tableOf(raw: Database.Database, name: string): CopiedTable {
  const columns = raw.pragma(`table_info(${name})`) as readonly ColumnInfo[]
  const texts = columns.filter(({ type }) => type === 'TEXT').map((column) => column.name)
  const key = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk)
  const countOf = (condition: string) =>
    raw
      .prepare<[], number>(`SELECT count(*) FROM ${name} WHERE ${only(name)} AND (${condition})`)
      .pluck()
      .get() ?? 0
  return {
    name,
    columns: columns.map((column) => ({ name: column.name, type: column.type })),
    key: key.map((column) => column.name),
    rows: countOf('true'),
    withNul: countOf(texts.map((text) => `instr(${text}, char(0)) > 0`).join(' OR ') || 'false'),
    tooLong: countOf(
      indexedTexts(raw, name, texts)
        .map((list) => `${list} > ${LONGEST_KEY}`)
        .join(' OR ') || 'false',
    ),
  }
}

/** For each index its length in bytes, as an expression over a row. */
function indexedTexts(raw: Database.Database, table: string, texts: readonly string[]): string[] {
  const indexes = raw.pragma(`index_list(${table})`) as readonly { readonly name: string }[]
  return indexes.flatMap(({ name }) => {
    const columns = (raw.pragma(`index_info(${name})`) as readonly { readonly name: string | null }[])
      .map((column) => column.name)
      .filter((column) => column !== null && texts.includes(column))
    return columns.length === 0
      ? []
      : [columns.map((column) => `coalesce(length(CAST(${column} AS BLOB)), 0)`).join(' + ')]
  })
}

function only(table: string): string {
  return table === 'meta' ? `NOT ${OF_THE_FILE}` : 'true'
}

/** A portion ends early if its rows are large. */
function portion(
  raw: Database.Database,
  { name, columns, key }: CopiedTable,
  after: CopiedRow | undefined,
  skip: number,
): readonly CopiedRow[] {
  const keys = key.join(', ')
  const behind = after ? `AND (${keys}) > (${key.map(() => '?').join(', ')})` : ''
  const statement = raw
    .prepare<unknown[], CopiedRow>(
      `SELECT ${columns.map((column) => column.name).join(', ')} FROM ${name}
       WHERE ${only(name)} ${behind} ORDER BY ${keys} LIMIT ${ROWS_AT_ONCE} OFFSET ${skip}`,
    )
    .raw()
  const at = key.map((column) => columns.findIndex((one) => one.name === column))
  const rows: CopiedRow[] = []
  let bytes = 0
  for (const row of statement.iterate(...(after ? at.map((index) => after[index]) : [])) as Iterable<CopiedRow>) {
    rows.push(row)
    for (const value of row) bytes += typeof value === 'number' ? 8 : (value?.length ?? 0)
    if (bytes >= BYTES_AT_ONCE) break
  }
  return rows
}
