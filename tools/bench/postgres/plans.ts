/**
 * The plans of the statements of a bot over large tables, none of which may read more than it needs: while the server knows
 * nothing of what was put in, as after a restore or with autovacuum off, and once it has counted the rows.
 */
import { startPostgres } from '../../../test/support/own-postgres.ts'
import { readPostgres } from '../../../test/support/read-postgres.ts'
import { MESSAGES_OF_A_CUSTOMER } from './compare.ts'
import { type Explained, explained, EXPLAINING, stepsOver, told } from './explained.ts'
import { ANALYZE, fill } from './fill.ts'
import { type Life, openLife } from './life.ts'

const BEHIND = 1_000_000_000
/** The rows that a step may read for a group, which has at most 250 deliveries, or for a page of a list. */
const MOST_ROWS = 2_500
const SHOWN = 160

export async function plans(rows: number): Promise<void> {
  await using server = await startPostgres([...FILLED_FAST, ...EXPLAINING, 'autovacuum=off'])
  await readPostgres(server.url, 'CREATE DATABASE many TEMPLATE template0')
  const database = Object.assign(new URL(server.url), { pathname: '/many' }).href
  const bad: string[] = []
  let read = 0

  async function look(when: string, live: () => Promise<void>): Promise<void> {
    await explain(0)
    await live()
    await explain(-1)
    const log = server.log.join('')
    const all = explained(log.slice(read))
    read = log.length
    bad.push(...judge(when, all))
  }

  /** Connections that are open hear of it too. */
  async function explain(fromMs: number): Promise<void> {
    await readPostgres(server.url, `ALTER SYSTEM SET auto_explain.log_min_duration = ${fromMs}`)
    await readPostgres(server.url, 'SELECT pg_reload_conf()')
  }

  await using early = await openLife(database)
  // Sends of the bot come behind those that are filled in, as they come later; deliveries do anyway.
  await readPostgres(database, `SELECT setval('switchhook.sends_seq', ${BEHIND})`)
  await early.converse(20)
  await fill(database, {
    rows,
    customers: Math.ceil(rows / MESSAGES_OF_A_CUSTOMER),
    wait: false,
    days: 30.01,
    analyze: false,
  })
  // Its connections planned while the tables were empty.
  await look('by connections that are older than the rows', () => early.converse(300))
  await early.stop()
  const onEmpty = async (work: (life: Life) => Promise<void>) => {
    // One pruning an hour is enough for a bot, and each of these prunes.
    await readPostgres(database, `DELETE FROM meta WHERE name = 'pruned_at'`)
    await using life = await openLife(database)
    await work(life)
  }
  await look('uncounted', () => onEmpty((life) => life.all()))
  await readPostgres(database, ANALYZE)
  await look('counted', () => onEmpty((life) => life.all()))
  if (bad.length > 0) process.exitCode = 1
  console.log(
    `${bad.length} statements read more than ${MOST_ROWS.toLocaleString('en')} rows of a large table in one step`,
  )
}

/** It need not outlive the machine. */
const FILLED_FAST = ['shared_buffers=1GB', 'wal_level=minimal', 'max_wal_senders=0', 'max_wal_size=4GB']

/** Prints the statements that read too much, each once with the steps that do. */
function judge(when: string, all: readonly Explained[]): readonly string[] {
  const worstFirst = all.toSorted((a, b) => b.ms - a.ms)
  const statements = new Set(all.map(({ statement }) => statement))
  const bad = new Map<string, string>()
  for (const one of worstFirst) {
    const steps = stepsOver(MOST_ROWS, one)
    if (steps.length > 0 && !bad.has(one.statement))
      bad.set(one.statement, `${one.ms} ms: ${one.statement}\n    ${steps.map(told).join('\n    ')}`)
  }
  for (const says of bad.values()) console.log(`\n${when}, ${says}`)
  const [slowest] = worstFirst
  console.log(
    `\n${when}: ${all.length} plans of ${statements.size} statements, ${bad.size} read too much; the longest took ${slowest?.ms} ms: ${slowest?.statement.slice(0, SHOWN)}`,
  )
  return [...bad.keys()]
}
