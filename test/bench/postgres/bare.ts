/**
 * A script that writes the rows which ours has written, and nothing more: no key is looked up, no lane is looked for, no
 * lock is taken, since it knows all of it. What it costs is what the rows cost.
 */
import { Client } from 'pg'
import { NUMBERS, type Row } from '../../support/read-postgres.ts'
import { AT_ONCE } from './contender.ts'

/** In the order in which a delivery is stored. */
const TABLES = ['contents', 'deliveries', 'items', 'lanes'] as const
type Table = (typeof TABLES)[number]

export type Rows = Readonly<Record<Table, readonly Row[]>>

export interface Bare extends AsyncDisposable {
  /** Writes the rows of so many deliveries in each statement. */
  accept(rows: Rows): Promise<void>
  /** Begins and settles each item: a statement begins the first ones of as many lanes, or settles those and begins the next. */
  handle(rows: Rows): Promise<number>
}

/** @param database has the tables of ours. */
export async function bare(database: string): Promise<Bare> {
  const client = new Client({ connectionString: database, options: '-c search_path=switchhook' })
  await client.connect()
  const columns = await columnsOf(client)
  const values = (table: Table, rows: readonly Row[]) =>
    columns[table].map(({ name }) => rows.map((row) => row[name] ?? null))

  const texts = TABLES.map((table, index) => {
    const first = 1 + TABLES.slice(0, index).reduce((sum, before) => sum + columns[before].length, 0)
    const names = columns[table].map(({ name }) => name).join(', ')
    const lists = columns[table].map(({ type }, at) => `$${first + at}::${type}[]`).join(', ')
    const known = table === 'lanes' ? LANE_KNOWN : ''
    return `${table}_in AS (INSERT INTO ${table} AS t (${names}) SELECT * FROM unnest(${lists}) ${known})`
  })
  const insert = { name: 'insert', text: `WITH ${texts.join(',\n')} SELECT 1` }

  return {
    async accept(rows) {
      const lanes = new Map(rows.lanes.map((lane) => [lane['key'], lane]))
      for (let from = 0; from < rows.deliveries.length; from += AT_ONCE) {
        const items = rows.items.slice(from, from + AT_ONCE)
        const theirs = [...new Set(items.map((item) => item['lane']))].map((lane) => lanes.get(lane) as Row)
        const of = { contents: rows.contents, deliveries: rows.deliveries, items: rows.items }
        const parts = Object.entries(of).flatMap(([table, all]) =>
          values(table as Table, all.slice(from, from + AT_ONCE)),
        )
        await client.query({ ...insert, values: [...parts, ...values('lanes', theirs)] })
      }
    },
    async handle(rows) {
      const lanes = [...Map.groupBy(rows.items, (item) => String(item['lane'])).entries()].sort(([a], [b]) =>
        a < b ? -1 : 1,
      )
      let handled = 0
      for (let from = 0; from < lanes.length; from += AT_ONCE) {
        const group = lanes.slice(from, from + AT_ONCE)
        const longest = Math.max(...group.map(([, items]) => items.length))
        for (let turn = 0; turn <= longest; turn++) {
          const idsAt = (nth: number) => group.flatMap(([, items]) => items[nth]?.['id'] ?? [])
          const ended = group.filter(([, items]) => items.length === turn).map(([lane]) => lane)
          const taken = turn === 0 ? group.map(([lane]) => lane) : []
          const settled = turn === 0 ? [] : idsAt(turn - 1)
          await client.query({ name: 'turn', text: TURN, values: [taken, idsAt(turn), settled, ended, Date.now()] })
          handled += settled.length
        }
      }
      return handled
    },
    [Symbol.asyncDispose]: () => client.end(),
  }
}

const LANE_KNOWN = `ON CONFLICT (key) DO UPDATE SET ready_at = 0, since = excluded.since, last_at = excluded.last_at,
  moved_at = excluded.moved_at`

/** $1 lanes that are taken, $2 items that begin, $3 those that settle, $4 lanes that are let go. */
const TURN = `
  WITH taken AS (UPDATE lanes SET owner = 'bare', token = $5::bigint, ready_at = $5::bigint + 10000 WHERE key = ANY ($1::text[])),
  settled AS (
    UPDATE items SET state = 'done', settled_at = $5::bigint, completed_handlers = '["otherwise"]' WHERE id = ANY ($3::bigint[])),
  let_go AS (
    UPDATE lanes SET owner = NULL, token = NULL, ready_at = NULL, since = $5::bigint, handled_at = $5::bigint
    WHERE key = ANY ($4::text[])),
  begun AS (UPDATE items SET state = 'running', attempts = 1 WHERE id = ANY ($2::bigint[]) RETURNING facts_place, seq)
  SELECT d.*, c.* FROM begun b JOIN deliveries d ON d.seq = b.seq JOIN contents c ON c.place = b.facts_place`

/** All rows of ours that have to do with deliveries, as they are before any is handled. */
export async function rowsOf(database: string): Promise<Rows> {
  const client = new Client({ connectionString: database, options: '-c search_path=switchhook' })
  await client.connect()
  const order = { contents: 'place', deliveries: 'seq', items: 'id', lanes: 'key' }
  const rows: Partial<Record<Table, Row[]>> = {}
  for (const table of TABLES)
    rows[table] = (await client.query({ text: `SELECT * FROM ${table} ORDER BY ${order[table]}`, types: NUMBERS })).rows
  await client.end()
  return rows as Rows
}

interface Column {
  readonly name: string
  readonly type: string
}

async function columnsOf(client: Client): Promise<Record<Table, readonly Column[]>> {
  const { rows } = await client.query<Column & { table: Table }>(`
    SELECT c.relname AS table, a.attname AS name, format_type(a.atttypid, NULL) AS type
    FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
    WHERE c.relnamespace = 'switchhook'::regnamespace AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped
    ORDER BY a.attnum`)
  return Object.groupBy(rows, ({ table }) => table) as Record<Table, readonly Column[]>
}
