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

/** Those of an item, of its reply, and of its customer. */
export const LARGE_TABLES = ['inbox', 'contents', 'customers', 'sends', 'statuses'] as const
type Table = (typeof LARGE_TABLES)[number]

/** The first number of what is filled in; what a bot writes itself is far from it. */
export const FIRST = 1_000_000
const ROWS_AT_ONCE = 500_000
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
  inbox: {
    id: 'n',
    delivery_id: `'filled-' || n`,
    digest: `decode(md5(n::text), 'hex')`,
    timestamp: `t.timestamp - ${AGE} / 1000`,
    received_at: `t.received_at - ${AGE}`,
    customer: CUSTOMER,
    lane: LANE,
    cause: `'filled-' || n`,
    identity: `'filled-' || n`,
    at: `t.at - ${AGE}`,
  },
  contents: { id: 'n' },
  customers: { customer: CUSTOMER },
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
}

/** Each filled item waits: the first of a customer begins, and the others stand behind it. */
const WAITING = `
  INSERT INTO work (item, lane, number, at, place, state, run, attempts, followed, interrupted, due, since)
  SELECT id, lane, number, at, CASE WHEN id < $1::bigint THEN 0 ELSE 2 END, 'stored', 0, 0, 1, 0,
    CASE WHEN id < $1::bigint THEN received_at END, received_at
  FROM inbox WHERE id >= ${FIRST}`

/** @param database has a row of each of these tables that is to be filled. */
export async function fill(database: string, { rows, customers, wait, days, analyze }: Filling): Promise<void> {
  const client = new Client({ connectionString: database, options: '-c search_path=switchhook' })
  await client.connect()
  for (const table of LARGE_TABLES) {
    const own = OWN[table]
    const count = table === 'customers' ? customers : rows
    const { fields } = await client.query(`SELECT * FROM ${table} LIMIT 0`)
    const values = fields.map(({ name }) => own[name] ?? `t.${name}`).join(', ')
    const text = `INSERT INTO ${table} SELECT ${values} FROM (SELECT * FROM ${table} LIMIT 1) t,
      generate_series($1::bigint, $2::bigint) n ${table === 'contents' ? `WHERE ${HAS_BYTES}` : ''}`
    const facts = { customers, first: FIRST, last: FIRST + count - 1, span: days * DAY_MS }
    const spelled = text.replaceAll(/\$([a-z]+)/g, (_, name: keyof typeof facts) => `${facts[name]}::bigint`)
    for (let done = 0; done < count; done += ROWS_AT_ONCE) {
      const upTo = Math.min(done + ROWS_AT_ONCE, count)
      await client.query(spelled, [FIRST + done, FIRST + upTo - 1])
    }
    console.log(`${count.toLocaleString('en')} rows of ${table}`)
  }
  if (wait) await client.query(WAITING, [FIRST + customers])
  if (analyze) await client.query(ANALYZE)
  await client.end()
}

export const ANALYZE = LARGE_TABLES.map((table) => `ANALYZE ${table}`).join('; ')
