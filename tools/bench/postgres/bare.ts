/**
 * A script that writes the same rows as our bot, by one statement for a group, as somebody would write it manually for
 * these tables. It keeps what the tables are for: the keys of deliveries keep the second out, lanes are taken past those that
 * others hold, a lane is locked and its fence is checked before an item settles, the next item is the lane's first, and the
 * customer's window knows what was handled. All else that ours does is left out: rules that depend on the delivery, identities,
 * windows, takeovers and conversations of customers, turns of numbers, bursts, sessions, time-outs, and looking
 * whether something has changed since the statement began.
 */
import { Client } from 'pg'
import { NUMBERS, type Row } from '../../../test/support/read-postgres.ts'
import { AT_ONCE } from './contender.ts'

/** In the order in which a delivery is stored. */
const TABLES = ['contents', 'deliveries', 'items', 'lanes'] as const
type Table = (typeof TABLES)[number]

export type Rows = Readonly<Record<Table, readonly Row[]>>

export interface Bare extends AsyncDisposable {
  /** Writes the rows of so many deliveries in each statement. */
  accept(rows: Rows): Promise<void>
  /** Begins and settles each item: a statement takes as many lanes and begins their first, or settles those and begins the next. */
  handle(): Promise<number>
}

/** @param database has our tables. */
export async function bare(database: string): Promise<Bare> {
  const client = new Client({ connectionString: database, options: `-c search_path=switchhook ${BY_INDEX}` })
  await client.connect()
  const columns = await columnsOf(client)
  const values = (table: Table, rows: readonly Row[]) =>
    columns[table].map(({ name }) => rows.map((row) => row[name] ?? null))

  const texts = TABLES.map((table, index) => {
    const first = 1 + TABLES.slice(0, index).reduce((sum, before) => sum + columns[before].length, 0)
    const names = columns[table].map(({ name }) => name).join(', ')
    const lists = columns[table].map(({ type }, at) => `$${first + at}::${type}[]`).join(', ')
    const known = { lanes: LANE_KNOWN, deliveries: 'ON CONFLICT DO NOTHING' }[table as string] ?? ''
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
    async handle() {
      let handled = 0
      for (;;) {
        const token = Date.now()
        let running = (await client.query<Running>({ name: 'take', text: TAKE, values: [AT_ONCE, token] })).rows
        if (running.length === 0) return handled
        while (running.length > 0) {
          const values = [running.map(({ lane }) => lane), running.map(({ id }) => id), token]
          handled += running.length
          running = (await client.query<Running>({ name: 'turn', text: TURN, values })).rows
        }
      }
    },
    [Symbol.asyncDispose]: () => client.end(),
  }
}

/** As ours has it: a plan that was made over empty tables must do for full ones. */
const BY_INDEX = ['seqscan', 'hashjoin', 'mergejoin'].map((way) => `-c enable_${way}=off`).join(' ')

const LANE_KNOWN = `ON CONFLICT (key) DO UPDATE SET ready_at = 0, since = excluded.since, last_at = excluded.last_at,
  moved_at = excluded.moved_at`

/** The item that begins in a lane. */
interface Running {
  readonly lane: string
  readonly id: string
}

const FIRST = (lane: string, but: string) =>
  `SELECT id FROM items WHERE lane = ${lane} AND settled_at IS NULL ${but} ORDER BY at, id LIMIT 1`

const BEGUN = `
  begun AS (
    UPDATE items i SET state = 'running', attempts = attempts + 1 FROM next n WHERE i.id = n.id
    RETURNING i.lane, i.id, i.facts_place, i.seq)`

const READ = `
  SELECT b.lane, b.id, d.*, c.* FROM begun b
    CROSS JOIN LATERAL (SELECT * FROM deliveries WHERE seq = b.seq LIMIT 1) d
    CROSS JOIN LATERAL (SELECT * FROM contents WHERE place = b.facts_place LIMIT 1) c`

/** Takes $1 lanes under the token $2, and begins the first item of each. */
const TAKE = `
  WITH taken AS (
    UPDATE lanes l SET owner = 'bare', token = $2::bigint, ready_at = $2::bigint + 10000
    FROM (
      SELECT key FROM lanes WHERE kind = 'item' AND ready_at = 0
      ORDER BY ready_at, number, since, key LIMIT $1::int FOR UPDATE SKIP LOCKED) r
    WHERE l.key = r.key RETURNING l.key),
  next AS MATERIALIZED (SELECT n.id FROM taken t CROSS JOIN LATERAL (${FIRST('t.key', '')}) n),
  ${BEGUN}
  ${READ}`

/** Settles the items $2 of the lanes $1, which are held under the token $3, and begins the next of each or lets it go. */
const TURN = `
  WITH given AS MATERIALIZED (
    SELECT * FROM unnest($1::text[] COLLATE "C", $2::bigint[]) AS g(lane, item) ORDER BY lane),
  held AS MATERIALIZED (
    SELECT g.*, (SELECT at FROM items WHERE items.id = g.item) AS handled FROM given g CROSS JOIN LATERAL (
      SELECT 1 FROM lanes l WHERE l.key = g.lane AND l.owner = 'bare' AND l.token = $3::bigint FOR UPDATE) l),
  next AS MATERIALIZED (
    SELECT h.*, n.id FROM held h LEFT JOIN LATERAL (${FIRST('h.lane', 'AND items.id <> h.item')}) n ON true),
  settled AS (
    UPDATE items i SET state = 'done', settled_at = $3::bigint FROM next n WHERE i.id = n.item),
  kept AS (
    UPDATE lanes l SET handled_at = n.handled, owner = CASE WHEN n.id IS NOT NULL THEN l.owner END,
      token = CASE WHEN n.id IS NOT NULL THEN l.token END, ready_at = CASE WHEN n.id IS NOT NULL THEN l.ready_at END,
      since = CASE WHEN n.id IS NOT NULL THEN l.since ELSE $3::bigint END
    FROM next n WHERE l.key = n.lane),
  ${BEGUN}
  ${READ}`

/** All our rows about deliveries, before any is handled. */
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
