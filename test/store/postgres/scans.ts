import { Client } from 'pg'
import { BEGIN_ALONE } from '../../../src/store/postgres/transaction.ts'

/** Those that have rows of each delivery. */
const LARGE: ReadonlySet<string> = new Set([
  'contents',
  'deliveries',
  'items',
  'lanes',
  'once_results',
  'reached',
  'sends',
  'sessions',
  'statuses',
])

/** Each table has a page, so that a server believes what is said of the rows in it. */
const A_ROW_IN_EACH = `
  DO $$ DECLARE t record; BEGIN
    FOR t IN SELECT table_name AS name, string_agg(column_name, ', ') AS columns,
        string_agg(CASE data_type WHEN 'bigint' THEN '0' ELSE '''''' END, ', ') AS given
      FROM information_schema.columns WHERE table_schema = 'switchhook' AND is_nullable = 'NO' GROUP BY 1
    LOOP
      EXECUTE format('ALTER TABLE switchhook.%I SET (autovacuum_enabled = false)', t.name);
      EXECUTE format('INSERT INTO switchhook.%I (%s) VALUES (%s) ON CONFLICT DO NOTHING', t.name, t.columns, t.given);
    END LOOP; END $$`

/** The number of rows in each table that the server's statistics claim; undefined: nobody has counted any. */
const believed = (rows: number | undefined) => `
  UPDATE pg_class SET reltuples = ${rows ?? -1}, relpages = ${rows === undefined ? 0 : 1}
  WHERE relnamespace = 'switchhook'::regnamespace AND relkind = 'r'`

/**
 * The statements of transactions that write whose plan goes through a large table, or through all of an index, with the
 * steps that do.
 */
export async function scanning(
  database: string,
  statements: Iterable<string>,
  rows: number | undefined,
): Promise<readonly string[]> {
  const client = new Client({ connectionString: database })
  await client.connect()
  try {
    await client.query(A_ROW_IN_EACH)
    await client.query(believed(rows))
    await client.query(BEGIN_ALONE)
    const found: string[] = []
    for (const text of statements) {
      const scans = scansIn(await planOf(client, text))
      if (scans.length > 0) found.push(`${text.replaceAll(/\s+/g, ' ').trim()}: ${scans.join(', ')}`)
    }
    return found
  } finally {
    await client.end()
  }
}

/** A node of a plan. */
interface Step {
  readonly 'Node Type': string
  readonly 'Parent Relationship'?: string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Index Cond'?: string
  readonly Filter?: string
  readonly Plans?: readonly Step[]
}

async function planOf(client: Client, text: string): Promise<Step> {
  const values = Math.max(0, ...[...text.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)))
  const given = Array.from({ length: values }, () => 'NULL').join(', ')
  await client.query(`PREPARE asked AS ${text}`)
  const { rows } = await client.query(`EXPLAIN (FORMAT JSON) EXECUTE asked${given && `(${given})`}`)
  await client.query('DEALLOCATE asked')
  const [{ 'QUERY PLAN': plan }] = rows as [{ 'QUERY PLAN': [{ Plan: Step }] }]
  return plan[0].Plan
}

/** `ends`: a limit ends the reading of this step's rows, and the next rows in the order of an index are no scan. */
function scansIn(step: Step, ends = false): string[] {
  const { 'Node Type': node, 'Relation Name': table = '', 'Index Name': index = '' } = step
  const below = (step.Plans ?? []).flatMap((each) => scansIn(each, endsBelow(step, each, ends)))
  return isScan(step) && !(ends && readsInOrder(step)) ? [`${node} ${table || index}`, ...below] : below
}

function isScan({ 'Node Type': node, 'Relation Name': table = '', 'Index Cond': condition }: Step): boolean {
  if (node === 'Seq Scan') return LARGE.has(table)
  if (node === 'Bitmap Index Scan') return condition === undefined
  return BY_INDEX.has(node) && LARGE.has(table) && condition === undefined
}

function readsInOrder({ 'Node Type': node, Filter: filter }: Step): boolean {
  return BY_INDEX.has(node) && filter === undefined
}

const BY_INDEX: ReadonlySet<string> = new Set(['Index Scan', 'Index Only Scan'])
const PASSES_ON: ReadonlySet<string> = new Set(['Append', 'LockRows', 'Nested Loop', 'Result', 'Subquery Scan'])

function endsBelow({ 'Node Type': node }: Step, { 'Parent Relationship': is }: Step, ends: boolean): boolean {
  if (is !== 'Outer' && is !== 'Member' && is !== 'Subquery') return false
  return node === 'Limit' || (ends && PASSES_ON.has(node))
}
