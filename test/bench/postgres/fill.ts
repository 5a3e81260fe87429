/** Fills a database with many rows, each like one that a bot has written, but for its ids and its customer. */
import { Client } from 'pg'

export interface Filling {
  readonly rows: number
  readonly customers: number
  /** They wait to be handled; else they were, long ago. */
  readonly wait: boolean
}

/** Those of a delivery, of its item, of its lane and of its reply. */
const TABLES = ['contents', 'deliveries', 'items', 'lanes', 'sends'] as const
type Table = (typeof TABLES)[number]

/** Ids of what a bot has written itself are far below. */
const FIRST = 1_000_000
const ROWS_AT_ONCE = 500_000
const SPAN = 1_048_576

const CUSTOMER = '(255700000000 + n % $customers)::text'
const LANE = `'default/' || ${CUSTOMER}`

/** By column; every other one is as in the row that is copied. */
const OWN: Readonly<Record<Table, Readonly<Record<string, string>>>> = {
  contents: { place: 'n', seq: 'n' },
  deliveries: { seq: 'n', delivery_id: `'filled-' || n`, digest: `decode(md5(n::text), 'hex')`, body_place: 'n' },
  items: {
    id: `n * ${SPAN}`,
    seq: 'n',
    facts_place: 'n',
    customer: CUSTOMER,
    lane: LANE,
    cause: `'filled-' || n`,
    identity: `'filled-' || n`,
    at: 'n',
  },
  lanes: { key: LANE },
  sends: {
    seq: 'n',
    id: `'filled-' || n`,
    key: `'filled-' || n`,
    customer: CUSTOMER,
    lane: `${LANE} || '/out'`,
    cause: `'filled-' || n`,
    message_id: `'filled-' || n`,
    upstream_id: `'filled-' || n`,
    delivery: `'filled-' || n`,
  },
}

/** @param database has at least one row of each of these tables, but of sends if there is no reply. */
export async function fill(database: string, { rows, customers, wait }: Filling): Promise<void> {
  const client = new Client({ connectionString: database, options: '-c search_path=switchhook' })
  await client.connect()
  const waits: Partial<Record<Table, Record<string, string>>> = {
    items: { state: `'stored'`, attempts: '0', ready_at: '0', settled_at: 'NULL', completed_handlers: `'[]'` },
    lanes: { ready_at: '0', owner: 'NULL', token: 'NULL' },
  }
  for (const table of TABLES) {
    const own = { ...OWN[table], ...(wait && waits[table]) }
    const count = table === 'lanes' ? customers : rows
    const like = `SELECT * FROM ${table} ${table === 'lanes' ? "WHERE kind = 'item'" : ''} LIMIT 1`
    const { fields } = await client.query(`SELECT * FROM ${table} LIMIT 0`)
    const values = fields.map(({ name }) => own[name] ?? `t.${name}`).join(', ')
    const text = `INSERT INTO ${table} SELECT ${values.replaceAll('$customers', String(customers))}
      FROM (${like}) t, generate_series($1::bigint, $2::bigint) n`
    for (let done = 0; done < count; done += ROWS_AT_ONCE) {
      const upTo = Math.min(done + ROWS_AT_ONCE, count)
      await client.query(text, [FIRST + done, FIRST + upTo - 1])
    }
    console.log(`${count.toLocaleString('en')} rows of ${table}`)
  }
  // As autovacuum does on a server that is not in a hurry.
  await client.query(TABLES.map((table) => `ANALYZE ${table}`).join('; '))
  await client.end()
}
