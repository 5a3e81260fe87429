import { openPool } from './pool.ts'
import { askServer } from './session.ts'

/** The settings of a server that the promises of the store depend on. */
export interface ServerFacts {
  /** It writes what is committed to its disk, and whole pages after a checkpoint. */
  readonly durable: boolean
  /** A standby, or a database that may only be read. */
  readonly readOnly: boolean
  /** Copies of the server that follow it now, and those of them that a commit waits for. */
  readonly standbys: number
  readonly synchronous: number
  readonly free: number
  readonly mayMigrate: boolean
}

const FACTS = `
  SELECT current_setting('fsync') = 'on' AND current_setting('full_page_writes') = 'on' AS durable,
    pg_is_in_recovery() OR current_setting('default_transaction_read_only') = 'on' AS "readOnly",
    (SELECT count(*) FROM pg_stat_replication WHERE sync_state IS NOT NULL) AS standbys,
    (SELECT count(*) FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum')) AS synchronous,
    current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
      - (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend') AS free,
    CASE WHEN to_regnamespace('switchhook') IS NULL THEN has_database_privilege(current_database(), 'CREATE')
      ELSE (SELECT pg_has_role(nspowner, 'USAGE') FROM pg_namespace WHERE nspname = 'switchhook') END AS "mayMigrate"`

/** @throws SwitchhookError, DatabaseFault */
export async function lookAtServer(address: string): Promise<ServerFacts> {
  const pool = await openPool(address)
  try {
    return await askServer<ServerFacts>(pool, FACTS)
  } finally {
    await pool.close()
  }
}
