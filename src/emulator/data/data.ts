import { z } from 'zod'
import { SwitchhookError } from '../../base/errors.ts'
import { parseJson } from '../http/body.ts'
import { type Snapshot, snapshotSchema } from '../snapshot/schema.ts'
import { headOf } from '../snapshot/snapshot.ts'
import type { Collection, State } from '../state.ts'
import { openFile } from './file.ts'

/** The emulator's state in a file: what there are many of in a row each, the rest in a row per room. */
export interface Data {
  /** What the file holds; undefined where it is new. */
  read(): Snapshot | undefined
  /** One of many is new, changed or gone. */
  mark(collection: Collection, id: string): void
  /** Writes what has changed since. */
  save(state: State): void
  /** Writes everything anew. */
  saveAll(state: State): void
  close(): void
}

const COLLECTIONS: readonly Collection[] = ['phones', 'keys', 'events', 'deliveries']

export function openData(file: string): Data {
  const raw = openFile(file)
  const select = raw.prepare('SELECT room, id, content FROM parts ORDER BY room, id')
  const put = raw.prepare('INSERT OR REPLACE INTO parts (room, id, content) VALUES (?, ?, ?)')
  const remove = raw.prepare('DELETE FROM parts WHERE room = ? AND id = ?')
  const clear = raw.prepare('DELETE FROM parts')
  const marked = emptyMarks()
  const written = new Map<string, string>()

  const saveHead = (state: State) => {
    for (const [room, part] of Object.entries(headOf(state))) {
      const content = JSON.stringify(part)
      if (written.get(room) === content) continue
      put.run(room, '', content)
      written.set(room, content)
    }
  }
  const saveOne = (state: State, collection: Collection, id: string) => {
    const one = ONE[collection](state, id)
    if (one === undefined) remove.run(collection, id)
    else put.run(collection, id, JSON.stringify(one))
  }
  const saveMarked = raw.transaction((state: State) => {
    saveHead(state)
    for (const collection of COLLECTIONS) {
      for (const id of marked[collection]) saveOne(state, collection, id)
      marked[collection].clear()
    }
  })
  const saveAll = raw.transaction((state: State) => {
    clear.run()
    written.clear()
    saveMarked(state)
    for (const collection of COLLECTIONS) for (const id of idsOf(state)[collection]) saveOne(state, collection, id)
  })

  return {
    read() {
      const rows = select.all() as Row[]
      return rows.length === 0 ? undefined : assembled(rows, file)
    },
    mark: (collection, id) => void marked[collection].add(id),
    save: saveMarked,
    saveAll,
    close: () => raw.close(),
  }
}

interface Row {
  readonly room: string
  readonly id: string
  readonly content: string
}

type Marks = Readonly<Record<Collection, Set<string>>>

function emptyMarks(): Marks {
  return { phones: new Set(), keys: new Set(), events: new Set(), deliveries: new Set() }
}

const ONE: Readonly<Record<Collection, (state: State, id: string) => object | undefined>> = {
  phones: ({ phones }, id) => phones.saveOne(id),
  keys: ({ keys }, id) => keys.saveOne(id),
  events: ({ events }, id) => events.saveOne(id),
  deliveries: ({ deliverer }, id) => deliverer.saveOne(id),
}

function idsOf(state: State): Readonly<Record<Collection, readonly string[]>> {
  return {
    phones: state.phones.save().map(({ customer }) => customer),
    keys: state.keys.ids(),
    events: state.events.list().map(({ id }) => id),
    deliveries: state.deliverer.list().map(({ id }) => id),
  }
}

function assembled(rows: readonly Row[], file: string): Snapshot {
  const parts: Record<string, unknown> = {}
  const many: Record<Collection, unknown[]> = { phones: [], keys: [], events: [], deliveries: [] }
  for (const { room, content } of rows) {
    const part = parseJson(Buffer.from(content))
    if (Object.hasOwn(many, room)) many[room as Collection].push(part)
    else parts[room] = part
  }
  const read = snapshotSchema.safeParse({ ...parts, ...many })
  if (read.success) return { ...read.data, events: read.data.events.sort((a, b) => a.at - b.at) }
  throw new SwitchhookError(
    'store_unavailable',
    `the emulator's data ${file} cannot be read: ${z.prettifyError(read.error)}; name another file, or delete it`,
  )
}
