/**
 * A script that writes the same rows as our bot, by one statement for a group, as somebody would write it manually for
 * these tables. It keeps what the tables are for: the keys of deliveries keep the second out, items are taken past those
 * that others hold, the fence is checked as an item settles, the next item of the lane begins, and the customer's row knows
 * what was handled. Everything else that ours does is left out: rules that depend on the delivery, identities, take-overs and
 * conversations, turns of numbers, bursts, sessions and leases.
 */
import { Client } from 'pg'
import { NUMBERS, type Row } from '../../../test/support/read-postgres.ts'
import { AT_ONCE } from './contender.ts'

/** In the order in which a delivery is stored. */
const TABLES = ['inbox', 'contents', 'work', 'customers'] as const
type Table = (typeof TABLES)[number]

export type Rows = Readonly<Record<Table, readonly Row[]>>

export interface Bare extends AsyncDisposable {
  /** Writes the rows of so many deliveries in each statement. */
  accept(rows: Rows): Promise<void>
  /** Begins and settles each item: a statement takes the first items of lanes, or settles them and begins the next ones. */
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
    const known = { customers: CUSTOMER_KNOWN, inbox: 'ON CONFLICT DO NOTHING' }[table as string] ?? ''
    return `${table}_in AS (INSERT INTO ${table} AS t (${names}) SELECT * FROM unnest(${lists}) ${known})`
  })
  const insert = { name: 'insert', text: `WITH ${texts.join(',\n')} SELECT 1` }

  return {
    async accept({ customers, ...others }) {
      const known = new Map(customers.map((row) => [row['customer'], row]))
      for (let from = 0; from < others.inbox.length; from += AT_ONCE) {
        const part = (table: Exclude<Table, 'customers'>) => others[table].slice(from, from + AT_ONCE)
        const theirs = [...new Set(part('inbox').map((row) => row['customer']))].map((one) => known.get(one) as Row)
        const lists = (['inbox', 'contents', 'work'] as const).flatMap((table) => values(table, part(table)))
        await client.query({ ...insert, values: [...lists, ...values('customers', theirs)] })
      }
    },
    async handle() {
      let handled = 0
      for (;;) {
        let running = (await client.query<Running>({ name: 'take', text: TAKE, values: [AT_ONCE] })).rows
        if (running.length === 0) return handled
        while (running.length > 0) {
          handled += running.length
          const items = running.map(({ item }) => item)
          running = (await client.query<Running>({ name: 'turn', text: TURN, values: [items] })).rows
        }
      }
    },
    [Symbol.asyncDispose]: () => client.end(),
  }
}

/** As ours has it: a plan that was made over empty tables must do for full ones. */
const BY_INDEX = ['seqscan', 'hashjoin', 'mergejoin'].map((way) => `-c enable_${way}=off`).join(' ')

const CUSTOMER_KNOWN = `ON CONFLICT (number, customer) DO UPDATE SET last_at = excluded.last_at,
  moved_at = excluded.moved_at`

interface Running {
  readonly item: string
}

/** The id of no process. */
const OWNER = -1

const begin = (from: string) => `
  begun AS (
    UPDATE work w SET place = 1, owner = ${OWNER}, run = run + 1, attempts = attempts + 1, state = 'running'
    FROM ${from} f WHERE w.item = f.item RETURNING w.item)
  SELECT b.item, i.*, c.body, c.facts FROM begun b
    CROSS JOIN LATERAL (SELECT * FROM inbox WHERE id = b.item LIMIT 1) i
    CROSS JOIN LATERAL (SELECT body, facts FROM contents WHERE id = b.item LIMIT 1) c`

/** Takes the first items of $1 lanes. */
const TAKE = `
  WITH ready AS (
    SELECT item FROM work WHERE place = 0 ORDER BY number, due, item LIMIT $1::int FOR UPDATE SKIP LOCKED),
  ${begin('ready')}`

/** Settles the items $1, which must still run here, and begins the next of each lane. */
const TURN = `
  WITH settled AS (
    DELETE FROM work w USING unnest($1::bigint[]) AS g(item)
    WHERE w.item = g.item AND w.place = 1 AND w.owner = ${OWNER} RETURNING w.item, w.lane, w.at),
  seen AS (
    UPDATE customers c SET handled_at = s.at FROM settled s JOIN inbox i ON i.id = s.item
    WHERE c.number = i.number AND c.customer = i.customer),
  next AS MATERIALIZED (
    SELECT n.item FROM settled s CROSS JOIN LATERAL (
      SELECT item FROM work WHERE lane = s.lane AND place = 2 ORDER BY at, item LIMIT 1) n),
  ${begin('next')}`

/** All our rows about deliveries, before any is handled. */
export async function rowsOf(database: string): Promise<Rows> {
  const client = new Client({ connectionString: database, options: '-c search_path=switchhook' })
  await client.connect()
  const order = { inbox: 'id', contents: 'id', work: 'item', customers: 'customer' }
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
