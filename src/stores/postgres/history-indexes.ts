import type { Timers } from '../../base/clock.ts'
import { HISTORY_INDEXES } from '../operations/reads/history.ts'
import type { PostgresPool } from './pool.ts'
import { SCHEMA } from './schema.ts'
import { askServer, openSession } from './session.ts'

/** The largest table whose index is made within a write: that of a larger one takes longer than a write may. */
const LARGE_BYTES = 134_217_728
const LOOK_EVERY_MS = 1_000

/**
 * Sees to the indexes of a history over large tables, which are made while others write: an operation would keep all of them
 * waiting until its time is over. Those of smaller tables are left to the operation. Of several processes one makes an
 * index; what one has left that ended meanwhile is made anew. The answer may take minutes.
 */
export function createHistoryIndexes(o: {
  readonly pool: PostgresPool
  readonly timers: Timers
  readonly largeBytes?: number
}): () => Promise<void> {
  let seenTo: Promise<void> | undefined
  return () =>
    (seenTo ??= seeTo({ largeBytes: LARGE_BYTES, ...o }).catch((error: unknown) => {
      seenTo = undefined
      throw error
    }))
}

async function seeTo({
  pool,
  timers,
  largeBytes,
}: Required<Parameters<typeof createHistoryIndexes>[0]>): Promise<void> {
  for (const [name, on] of Object.entries(HISTORY_INDEXES)) {
    const [table = ''] = on.split(' ')
    for (let index = await look(pool, name, table); !index.valid; index = await look(pool, name, table)) {
      if (index.making) await new Promise<void>((resolve) => void timers.after(LOOK_EVERY_MS, resolve))
      else if (index.found) await script(pool, `DROP INDEX CONCURRENTLY IF EXISTS ${SCHEMA}.${name}`)
      else if (index.bytes < largeBytes) break
      else await script(pool, `CREATE INDEX CONCURRENTLY IF NOT EXISTS ${name} ON ${SCHEMA}.${on}`)
    }
  }
}

interface Index {
  readonly found: boolean
  /** All of its table's rows are in it. */
  readonly valid: boolean
  /** Some process makes an index of its table. */
  readonly making: boolean
  /** Those of its table. */
  readonly bytes: number
}

function look(pool: PostgresPool, name: string, table: string): Promise<Index> {
  return askServer<Index>(
    pool,
    `SELECT i.indexrelid IS NOT NULL AS found, i.indisvalid IS TRUE AS valid,
      EXISTS (SELECT 1 FROM pg_stat_progress_create_index WHERE relid = t.oid) AS making, pg_relation_size(t.oid) AS bytes
    FROM (SELECT '${SCHEMA}.${table}'::regclass::oid) AS t(oid)
      LEFT JOIN pg_index i ON i.indexrelid = to_regclass('${SCHEMA}.${name}')`,
  )
}

async function script(pool: PostgresPool, text: string): Promise<void> {
  const session = await openSession(pool)
  try {
    await session.script(text, { long: true })
    session.release()
  } catch (error) {
    session.destroy()
    throw error
  }
}
