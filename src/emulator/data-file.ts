import { closeSync, openSync, statSync } from 'node:fs'
import Database from 'better-sqlite3'
import { z } from 'zod'
import { reasonOf, SwitchhookError } from '../base/errors.ts'
import { isObject, type JsonObject, parseJson } from './http/json.ts'
import type { Collection, Saved } from './model/model.ts'
import { type Snapshot, snapshotSchema } from './snapshot.ts'
import { SAVE_ONE, savedIds, snapshotHead, type State } from './state.ts'

/**
 * The emulator's state in an SQLite file: one row for each entry of a collection, and one for each other part of a
 * snapshot. Each item of a thread has its own row: a thread in one row would be written anew with every message.
 */
export interface DataFile {
  /** The snapshot in the file; undefined if the file is new. */
  read(): Snapshot | undefined
  /** Marks one thing that is new, changed or gone. */
  mark(what: Saved, id: string): void
  /** Writes what has changed since. */
  save(state: State): void
  saveAll(state: State): void
  close(): void
}

const SAVED: readonly Saved[] = ['phones', 'items', 'keys', 'events', 'deliveries']

export function openDataFile(file: string): DataFile {
  const raw = openDatabase(file)
  const select = raw.prepare('SELECT room, id, content FROM parts ORDER BY room, id')
  const put = raw.prepare('INSERT OR REPLACE INTO parts (room, id, content) VALUES (?, ?, ?)')
  const remove = raw.prepare('DELETE FROM parts WHERE room = ? AND id = ?')
  const clear = raw.prepare('DELETE FROM parts')
  const marked = emptyMarks()
  const written = new Map<string, string>()
  let isAnew = false

  const changedHead = (state: State) =>
    Object.entries(snapshotHead(state))
      .map(([name, part]) => [name, JSON.stringify(part)] as const)
      .filter(([name, content]) => isAnew || written.get(name) !== content)
  const writeOne = (state: State, what: Saved, id: string) => {
    const one = SAVE_ONE[what](state, id)
    if (one === undefined) remove.run(what, id)
    else put.run(what, id, JSON.stringify(one))
  }
  const write = raw.transaction((state: State, head: ReturnType<typeof changedHead>) => {
    if (isAnew) clear.run()
    for (const [name, content] of head) put.run(name, '', content)
    const ids = isAnew ? savedIds(state) : marked
    for (const what of SAVED) for (const id of ids[what]) writeOne(state, what, id)
  })
  const save = (state: State) => {
    const head = changedHead(state)
    write(state, head)
    // Only after the transaction: what could not be written is written the next time.
    isAnew = false
    for (const [name, content] of head) written.set(name, content)
    for (const what of SAVED) marked[what].clear()
  }

  return {
    read() {
      const rows = select.all() as Row[]
      return rows.length === 0 ? undefined : assemble(rows, file)
    },
    mark: (what, id) => void marked[what].add(id),
    save,
    saveAll(state) {
      isAnew = true
      save(state)
    },
    close: () => raw.close(),
  }
}

/** `room`: the part of the snapshot that the row holds, or belongs to. */
interface Row {
  readonly room: string
  readonly id: string
  readonly content: string
}

function emptyMarks(): Readonly<Record<Saved, Set<string>>> {
  return { phones: new Set(), items: new Set(), keys: new Set(), events: new Set(), deliveries: new Set() }
}

function assemble(rows: readonly Row[], file: string): Snapshot {
  const head: Record<string, unknown> = {}
  const collections: Record<Collection, unknown[]> = { phones: [], keys: [], events: [], deliveries: [] }
  const items: unknown[] = []
  for (const { room, content } of rows) {
    const part = parseJson(Buffer.from(content))
    if (room === 'items') items.push(part)
    else if (Object.hasOwn(collections, room)) collections[room as Collection].push(part)
    else head[room] = part
  }
  const phones = joinThreads(collections.phones, items)
  const read = snapshotSchema.safeParse({ ...head, ...collections, phones })
  if (read.success) return read.data
  throw new SwitchhookError(
    'store_unavailable',
    `the emulator's data ${file} cannot be read: ${z.prettifyError(read.error)}; name another file, or delete it`,
  )
}

/** The phones, each with the items of its thread in their order. Odd values are left for the schema to refuse. */
function joinThreads(phones: readonly unknown[], items: readonly unknown[]): unknown[] {
  const threads = Map.groupBy(items.filter(isObject), ({ customer }) => customer)
  return phones.map((phone) =>
    isObject(phone) ? { ...phone, ...threadOf(threads.get(phone['customer']) ?? []) } : phone,
  )
}

function threadOf(items: readonly JsonObject[]) {
  return {
    thread: items.map(({ item }) => item),
    sent: items.flatMap(({ sent }) => (sent === undefined ? [] : [sent])),
  }
}

/** "SWEM": marks the file as an emulator's, so that no bot's database is written over. */
const APPLICATION_ID = 0x5357454d
const OWNER_ONLY = 0o600

/** Opens or creates the file, readable by its owner alone, since it holds tokens and secrets. */
function openDatabase(file: string): Database.Database {
  let raw: Database.Database | undefined
  try {
    if (statSync(file, { throwIfNoEntry: false }) === undefined) closeSync(openSync(file, 'a', OWNER_ONLY))
    raw = new Database(file, { timeout: 0 })
    // Keeps every other process out while this one runs: two emulators on one file would undo each other's changes.
    raw.pragma('locking_mode = EXCLUSIVE')
    raw.pragma('journal_mode = WAL')
    raw.pragma('synchronous = NORMAL')
    raw.pragma('secure_delete = ON')
    raw.transaction(prepareDatabase).immediate(raw)
    return raw
  } catch (error) {
    raw?.close()
    throw unavailable(file, error)
  }
}

const SCHEMA =
  'CREATE TABLE parts (room TEXT NOT NULL, id TEXT NOT NULL, content TEXT NOT NULL, PRIMARY KEY (room, id)) WITHOUT ROWID'

function prepareDatabase(raw: Database.Database): void {
  if (raw.pragma('application_id', { simple: true }) === APPLICATION_ID) return
  const { tables } = raw.prepare('SELECT count(*) AS tables FROM sqlite_schema').get() as { tables: number }
  if (tables > 0) throw new Error('it is a database of something else')
  raw.exec(SCHEMA)
  raw.pragma(`application_id = ${APPLICATION_ID}`)
}

function unavailable(file: string, error: unknown): SwitchhookError {
  const isBusy = (error as { code?: unknown }).code === 'SQLITE_BUSY'
  const reason = isBusy ? 'another emulator has it open' : reasonOf(error)
  return new SwitchhookError(
    'store_unavailable',
    `the emulator's data ${file} cannot be used: ${reason}; name another file, in a folder that exists`,
    { cause: error },
  )
}
