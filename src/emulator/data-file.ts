import { closeSync, openSync, statSync } from 'node:fs'
import Database from 'better-sqlite3'
import { z } from 'zod'
import { SwitchhookError, reasonOf } from '../base/errors.ts'
import { type JsonObject, isObject, parseJson } from './http/json.ts'
import { type Snapshot, snapshotSchema } from './snapshot.ts'
import type { Changing, Collection, State } from './state.ts'
import { headOf } from './take-snapshot.ts'

/**
 * The emulator's state in a file: what there are many of in a row each, the rest in a row per room. A phone's thread is
 * many too: written as one it would be written anew at every message, the longer it is the more.
 */
export interface Data {
  /** What the file holds; undefined where it is new. */
  read(): Snapshot | undefined
  /** One of many is new, changed or gone. */
  mark(what: Changing, id: string): void
  /** Writes what has changed since. */
  save(state: State): void
  /** Writes everything anew. */
  saveAll(state: State): void
  close(): void
}

const CHANGING: readonly Changing[] = ['phones', 'items', 'keys', 'events', 'deliveries']

export function openData(file: string): Data {
  const raw = openFile(file)
  const select = raw.prepare('SELECT room, id, content FROM parts ORDER BY room, id')
  const put = raw.prepare('INSERT OR REPLACE INTO parts (room, id, content) VALUES (?, ?, ?)')
  const remove = raw.prepare('DELETE FROM parts WHERE room = ? AND id = ?')
  const clear = raw.prepare('DELETE FROM parts')
  const marked = emptyMarks()
  const written = new Map<string, string>()

  let isAnew = false

  const changedHead = (state: State) =>
    Object.entries(headOf(state))
      .map(([room, part]) => [room, JSON.stringify(part)] as const)
      .filter(([room, content]) => isAnew || written.get(room) !== content)
  const writeOne = (state: State, what: Changing, id: string) => {
    const one = ONE[what](state, id)
    if (one === undefined) remove.run(what, id)
    else put.run(what, id, JSON.stringify(one))
  }
  const write = raw.transaction((state: State, head: ReturnType<typeof changedHead>) => {
    if (isAnew) clear.run()
    for (const [room, content] of head) put.run(room, '', content)
    const ids = isAnew ? idsOf(state) : marked
    for (const what of CHANGING) for (const id of ids[what]) writeOne(state, what, id)
  })
  const save = (state: State) => {
    const head = changedHead(state)
    write(state, head)
    // Not before it is done: what could not be written is written the next time.
    isAnew = false
    for (const [room, content] of head) written.set(room, content)
    for (const what of CHANGING) marked[what].clear()
  }

  return {
    read() {
      const rows = select.all() as Row[]
      return rows.length === 0 ? undefined : assembled(rows, file)
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

interface Row {
  readonly room: string
  readonly id: string
  readonly content: string
}

type Marks = Readonly<Record<Changing, Set<string>>>

function emptyMarks(): Marks {
  return { phones: new Set(), items: new Set(), keys: new Set(), events: new Set(), deliveries: new Set() }
}

const ONE: Readonly<Record<Changing, (state: State, id: string) => object | undefined>> = {
  phones: ({ phones }, id) => phones.saveOne(id),
  items: ({ phones }, id) => phones.saveItem(id),
  keys: ({ keys }, id) => keys.saveOne(id),
  events: ({ events }, row) => events.saveOne(row),
  deliveries: ({ deliverer }, id) => deliverer.saveOne(id),
}

function idsOf(state: State): Readonly<Record<Changing, readonly string[]>> {
  return {
    phones: state.phones.all().map(({ customer }) => customer),
    items: state.phones.itemIds(),
    keys: state.keys.ids(),
    events: state.events.rows(),
    deliveries: state.deliverer.list().map(({ id }) => id),
  }
}

function assembled(rows: readonly Row[], file: string): Snapshot {
  const parts: Record<string, unknown> = {}
  const many: Record<Collection, unknown[]> = { phones: [], keys: [], events: [], deliveries: [] }
  const items: unknown[] = []
  for (const { room, content } of rows) {
    const part = parseJson(Buffer.from(content))
    if (room === 'items') items.push(part)
    else if (Object.hasOwn(many, room)) many[room as Collection].push(part)
    else parts[room] = part
  }
  const read = snapshotSchema.safeParse({ ...parts, ...many, phones: withThreads(many.phones, items) })
  if (read.success) return read.data
  throw new SwitchhookError(
    'store_unavailable',
    `the emulator's data ${file} cannot be read: ${z.prettifyError(read.error)}; name another file, or delete it`,
  )
}

/** "SWEM": by this the file is known as an emulator's, and no bot's database is written over. */
const APPLICATION_ID = 0x5357454d
const OWNER_ONLY = 0o600

/** Opens the file of `data`, or makes it: for its owner's eyes alone, since it holds tokens and secrets. */
export function openFile(file: string): Database.Database {
  let raw: Database.Database | undefined
  try {
    if (statSync(file, { throwIfNoEntry: false }) === undefined) closeSync(openSync(file, 'a', OWNER_ONLY))
    raw = new Database(file, { timeout: 0 })
    // No other process can read or write while this one runs: two emulators on one file would undo each other.
    raw.pragma('locking_mode = EXCLUSIVE')
    raw.pragma('journal_mode = WAL')
    raw.pragma('synchronous = NORMAL')
    raw.pragma('secure_delete = ON')
    raw.transaction(prepare).immediate(raw)
    return raw
  } catch (error) {
    raw?.close()
    throw unavailable(file, error)
  }
}

const SCHEMA =
  'CREATE TABLE parts (room TEXT NOT NULL, id TEXT NOT NULL, content TEXT NOT NULL, PRIMARY KEY (room, id)) WITHOUT ROWID'

function prepare(raw: Database.Database): void {
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

/** Phones as a snapshot holds them, each with what stands in its thread; `items` in their order. What is odd is left to the schema. */
export function withThreads(phones: readonly unknown[], items: readonly unknown[]): unknown[] {
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
