import type { Row } from '../../../support/read-postgres.ts'

/** All rows of a database, by their tables. */
export type Tables = Readonly<Record<string, readonly Row[]>>

/** Which columns hold the ids of a table. An order of two processes may give them otherwise, and means the same. */
const IDS: Readonly<Record<'inbox' | 'sends' | 'processes' | 'announcements', Readonly<Record<string, string>>>> = {
  inbox: {
    inbox: 'id delivery first bundle',
    contents: 'id',
    work: 'item bundle',
    once_results: 'item',
    reached: 'item',
    people: 'first item upto',
    conversations: 'item',
    timers: 'item',
    sends: 'seen',
  },
  sends: { sends: 'seq', recipients: 'send' },
  processes: { processes: 'id', work: 'owner', sends: 'owner', announcements: 'owner' },
  announcements: { announcements: 'id', recipients: 'announcement' },
}

/** What names them in answers. */
const IN_ANSWERS: Readonly<Record<string, keyof typeof IDS>> = {
  seq: 'inbox',
  id: 'inbox',
  of: 'inbox',
  message: 'inbox',
  seen: 'inbox',
  owner: 'processes',
}

/**
 * Whether a status is a stray is a hint, which its readers look behind: two processes that commit at one time cannot know.
 * Ids that were given say nothing of an order.
 */
const NOT_COMPARED = new Set(['last_id', 'last_send', 'cluster'])

/** The answer to a question whose meaning only `after` tells. */
const NOT_ANSWERED = 'watched'

type Names = Readonly<Record<keyof typeof IDS, ReadonlyMap<number, string>>>

/** Rows and answers with names in place of ids, and the place of each row within its customer. */
export function named(tables: Tables, answers: readonly unknown[]) {
  const names: Names = {
    inbox: byId(tables['inbox'], 'id', (row) => [
      row['delivery_id'] ?? row['other_id'] ?? [row['kind'], row['customer'], row['at']],
      row['idx'],
    ]),
    sends: byId(tables['sends'], 'seq', (row) => row['id']),
    processes: byId(tables['processes'], 'id', (row) => row['name']),
    announcements: byId(tables['announcements'], 'id', (row) => [row['number'], row['name']]),
  }
  const columns = new Map<string, keyof typeof IDS>()
  for (const [kind, of] of Object.entries(IDS) as [keyof typeof IDS, Record<string, string>][])
    for (const [table, list] of Object.entries(of))
      for (const column of list.split(' ')) columns.set(`${table}.${column}`, kind)
  const nameOf = (kind: keyof typeof IDS, id: unknown) => (typeof id === 'number' ? (names[kind].get(id) ?? GONE) : id)

  const rows = Object.entries(tables).map(([table, all]) => {
    const shown = withPlaces(table, all)
      .filter((row) => !isLeftOut(table, row))
      .map((row) =>
        JSON.stringify(
          Object.fromEntries(
            Object.entries(row)
              .filter(([column, value]) => value !== null && !(table === 'statuses' && column === 'stray'))
              .map(([column, value]) => {
                const kind = columns.get(`${table}.${column}`)
                return [column, kind ? nameOf(kind, value) : valueOf(names, { table, column, row }, value)]
              }),
          ),
        ),
      )
    return [table, shown.toSorted()] as const
  })
  const inAnswer = (value: unknown, key = '', isAnnouncement = false): unknown => {
    if (Array.isArray(value)) return value.map((one) => inAnswer(one, key))
    if (value instanceof Uint8Array) return Buffer.from(value).toString('hex')
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(
        Object.entries(value)
          .filter(([name, one]) => one !== undefined && name !== NOT_ANSWERED)
          .map(([name, one]) => [name, inAnswer(one, name, 'perHour' in value)]),
      )
    const kind = key === 'id' && isAnnouncement ? 'announcements' : IN_ANSWERS[key]
    return kind ? nameOf(kind, value) : value
  }
  return { answers: answers.map((one) => inAnswer(one)), rows: Object.fromEntries(rows) }
}

const GONE = 'a row that is gone'

/** A value that is made of ids, or of chance. */
function valueOf(
  names: Names,
  { table, column, row }: { table: string; column: string; row: Row },
  value: unknown,
): unknown {
  if (typeof value !== 'string') return value
  if (table === 'meta' && column === 'value') return metaOf(names, String(row['name']), value)
  if (value.startsWith('hash:')) return 'a hash'
  if (column !== 'cause') return value
  const [kind, of] = value.split(':')
  if (kind === 'given') return kind
  return kind === 'send_failed' ? `${kind}:${names.sends.get(Number(of)) ?? GONE}` : value
}

/** A border is what lies before it. */
function metaOf(names: Names, name: string, value: string): unknown {
  if (name.startsWith('secret:')) return 'a secret'
  if (name === 'restored_upto' || name === 'resuming') return before(names.inbox, Number(value))
  if (!name.startsWith('forgotten:')) return value
  const { items, sends, last = items, ...more } = JSON.parse(value) as { items: number; sends: number; last?: number }
  return {
    ...more,
    items: before(names.inbox, items),
    sends: before(names.sends, sends),
    last: before(names.inbox, last),
  }
}

function before(ids: ReadonlyMap<number, string>, border: number): number {
  return [...ids.keys()].filter((id) => id <= border).length
}

function byId(rows: readonly Row[] = [], column: string, name: (row: Row) => unknown): ReadonlyMap<number, string> {
  return new Map(rows.map((row) => [row[column] as number, JSON.stringify(name(row))]))
}

/** Rows of a table whose ids, or times that only rise, order what one customer has there; of acts, and whom people touched, all. */
const ORDERED: Readonly<Record<string, readonly [by: string, within: readonly string[]]>> = {
  inbox: ['id', ['number', 'customer']],
  sends: ['seq', ['lane']],
  notes: ['seq', ['number', 'customer']],
  people: ['changed', []],
  acts: ['seq', []],
}

function withPlaces(table: string, rows: readonly Row[]): readonly Row[] {
  const ordered = ORDERED[table]
  if (!ordered) return rows
  const [by, within] = ordered
  const places = new Map<string, number>()
  return rows
    .toSorted((a, b) => Number(a[by]) - Number(b[by]))
    .map((row) => {
      const of = JSON.stringify(within.map((column) => row[column]))
      const place = (places.get(of) ?? 0) + 1
      places.set(of, place)
      return { ...row, [by]: by === 'id' || table === 'sends' ? row[by] : place, place_in_order: place }
    })
}

function isLeftOut(table: string, row: Row): boolean {
  if (table === 'meta') return NOT_COMPARED.has(String(row['name'])) || String(row['name']).startsWith('schema_')
  // Nothing is known of such a customer: the row only stands for a lock.
  return table === 'customers' && Object.entries(row).every(([name, value]) => value === null || IS_KEY.has(name))
}

const IS_KEY = new Set(['number', 'customer'])
