import { DatabaseFault } from './faults.ts'
import type { PostgresPool } from './pool.ts'
import { askServer } from './session.ts'

/** A transaction as it can be asked for later: a crashed server may give its id away again. */
export interface BegunTransaction {
  readonly transaction: string
  /** When it began, in seconds since the epoch, by the server. */
  readonly began: number
  /** The server's timeline, by its number in hexadecimal: a standby that takes over begins another one. */
  readonly timeline: string
}

const TIMELINE = 'left(pg_walfile_name(pg_current_wal_lsn()), 8)'

/** Members of a transaction that has begun: see `BegunTransaction`. */
export const BEGUN_AS = `pg_current_xact_id()::text AS transaction, extract(epoch FROM now())::numeric AS began,
  ${TIMELINE} AS timeline`

/**
 * Says whether a transaction whose commit was not answered was committed; undefined while the server still works on it. A
 * server that crashed before it wrote anything of a transaction gives its id away again, and another one is committed
 * under it: the id is ours no longer if the recovery, which begins new statistics and ends with a checkpoint, did not know it.
 * A standby that took over may not have it, and what has its id there may be another's: then the answer is that it was not
 * committed, since a repeat of one that was finds its own keys and fences.
 */
export async function wasCommitted(
  pool: PostgresPool,
  { transaction, began, timeline }: BegunTransaction,
): Promise<boolean | undefined> {
  try {
    const { status, another } = await askServer<{ status: string; another: boolean }>(
      pool,
      `SELECT pg_xact_status('${transaction}'::xid8) AS status,
        ${TIMELINE} <> '${timeline}' OR extract(epoch FROM pg_stat_get_bgwriter_stat_reset_time()) > ${began}
          AND split_part(next_xid, ':', 1)::numeric * 4294967296 + split_part(next_xid, ':', 2)::numeric <= ${transaction} AS another
      FROM pg_control_checkpoint()`,
    )
    if (another) return false
    return status === 'in progress' ? undefined : status === 'committed'
  } catch (error) {
    if (error instanceof DatabaseFault && error.state === NEVER_GIVEN) return false
    throw error
  }
}

const NEVER_GIVEN = '22023'
