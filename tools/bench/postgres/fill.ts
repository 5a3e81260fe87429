/** Fills a database with many rows, each like one that a bot has written, but for its ids and its customer. */
import { Client } from 'pg'

export interface Filling {
  readonly rows: number
  readonly customers: number
  /** They wait to be handled; else they were. */
  readonly wait: boolean
  /** They came in so many days until now, and those older than a week have lost their bytes; all just now if it is 0. */
  readonly days: number
  /** The server counts the rows, as autovacuum has it do on a server that is not in a hurry. */
  readonly analyze: boolean
}

/** Those of a delivery, of its item and its reply, and of its customer. */
export const LARGE_TABLES = ['contents', 'deliveries', 'items', 'lanes', 'sends', 'statuses', 'sessions'] as const
type Table = (typeof LARGE_TABLES)[number]
const OF_CUSTOMERS: ReadonlySet<Table> = new Set(['lanes', 'sessions'])

/** The first number of what is filled in; what a bot writes itself is far from it. */
export const FIRST = 1_000_000
const ROWS_AT_ONCE = 500_000
const ITEMS_OF_A_DELIVERY = 1_048_576
const DAY_MS = 86_400_000
/** As the default of `retention` has it. */
const DAYS_WITH_BYTES = 7

const CUSTOMER = '(255700000000 + n % $customers)::text'
const LANE = `'default/' || ${CUSTOMER}`
/** Milliseconds that a row is older than the one that is copied. */
const AGE = '($last - n) * $span / ($last - $first + 1)'
const HAS_BYTES = `${AGE} < ${DAYS_WITH_BYTES * DAY_MS}`

/** By column; every other one is as in the row that is copied. */
const OWN: Readonly<Record<Table, Readonly<Record<string, string>>>> = {
  contents: { place: 'n', seq: 'n' },
  deliveries: {
    seq: 'n',
    delivery_id: `'filled-' || n`,
    digest: `decode(md5(n::text), 'hex')`,
    body_place: `CASE WHEN ${HAS_BYTES} THEN n END`,
    timestamp: `t.timestamp - ${AGE} / 1000`,
    received_at: `t.received_at - ${AGE}`,
  },
  items: {
    id: `n * ${ITEMS_OF_A_DELIVERY}`,
    seq: 'n',
    facts_place: 'n',
    customer: CUSTOMER,
    lane: LANE,
    cause: `'filled-' || n`,
    identity: `'filled-' || n`,
    at: `t.at - ${AGE}`,
    created_at: `t.created_at - ${AGE}`,
    settled_at: `t.settled_at - ${AGE}`,
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
    created_at: `t.created_at - ${AGE}`,
    settled_at: `t.settled_at - ${AGE}`,
  },
  statuses: { message: `'filled-' || n` },
  sessions: { customer: CUSTOMER },
}

/** @param database has a row of each of these tables that is to be filled. */
export async function fill(database: string, { rows, customers, wait, days, analyze }: Filling): Promise<void> {
  const client = new Client({ connectionString: database, options: '-c search_path=switchhook' })
  await client.connect()
  const waits: Partial<Record<Table, Record<string, string>>> = {
    items: { state: `'stored'`, attempts: '0', ready_at: '0', settled_at: 'NULL', completed_handlers: `'[]'` },
    lanes: { ready_at: '0', owner: 'NULL', token: 'NULL' },
  }
  for (const table of LARGE_TABLES) {
    const own = { ...OWN[table], ...(wait && waits[table]) }
    const count = OF_CUSTOMERS.has(table) ? customers : rows
    const like = `SELECT * FROM ${table} ${table === 'lanes' ? "WHERE kind = 'item'" : ''} LIMIT 1`
    const { fields } = await client.query(`SELECT * FROM ${table} LIMIT 0`)
    const values = fields.map(({ name }) => own[name] ?? `t.${name}`).join(', ')
    const text = `INSERT INTO ${table} SELECT ${values}
      FROM (${like}) t, generate_series($1::bigint, $2::bigint) n ${table === 'contents' ? `WHERE ${HAS_BYTES}` : ''}`
    const facts = { customers, first: FIRST, last: FIRST + count - 1, span: days * DAY_MS }
    const spelled = text.replaceAll(/\$([a-z]+)/g, (_, name: keyof typeof facts) => `${facts[name]}::bigint`)
    for (let done = 0; done < count; done += ROWS_AT_ONCE) {
      const upTo = Math.min(done + ROWS_AT_ONCE, count)
      await client.query(spelled, [FIRST + done, FIRST + upTo - 1])
    }
    console.log(`${count.toLocaleString('en')} rows of ${table}`)
  }
  if (analyze) await client.query(ANALYZE)
  await client.end()
}

export const ANALYZE = LARGE_TABLES.map((table) => `ANALYZE ${table}`).join('; ')
