import { endsWithin, type Timers } from '../../base/clock.ts'
import { SwitchhookError } from '../../base/errors.ts'
import { isServers } from './server-faults.ts'
import { LEAST_CONNECTIONS, type PostgresPool, tooFew } from './pool.ts'
import { openConnection, type Connection } from './connection.ts'
import { abandon, SCHEMA } from './transaction.ts'

const CONNECTIONS_MS = 5_000

/**
 * Proves that the server really locks tables and rows, over two connections and on a table that processes lock only for
 * this proof. An exclusive lock must wait for shared ones, and a row can be locked only once. Some servers that speak
 * PostgreSQL's protocol accept the statements and do nothing. @throws SwitchhookError `store_unavailable`, or
 * `options_invalid` for a small pool; DatabaseFault
 */
export async function proveLock(pool: PostgresPool, timers: Timers): Promise<void> {
  const opening = Array.from({ length: LEAST_CONNECTIONS }, () => openConnection(pool))
  try {
    const opened = Promise.all(opening)
    if (!(await endsWithin(CONNECTIONS_MS, timers, opened))) throw tooFew()
    const [one, other] = (await opened) as [Connection, Connection]
    if (!(await locks(one, 'ROW SHARE')) || !(await locksRow(one))) return
    if (!(await locksRow(other)) && !(await locks(other, 'EXCLUSIVE'))) return
  } finally {
    // This also ends connections that open later.
    for (const one of opening) one.then(abandon).catch(() => {})
  }
  throw new SwitchhookError(
    'store_unavailable',
    'this server does not hold locks of tables and rows, so that two processes would handle one message: use a server of PostgreSQL itself',
  )
}

/** Locks the table. Returns false if another connection has a conflicting lock, such as a process that starts. */
async function locks(connection: Connection, mode: string): Promise<boolean> {
  try {
    await connection.script(`BEGIN; LOCK TABLE ${SCHEMA}.proving IN ${mode} MODE NOWAIT`)
    return true
  } catch (error) {
    if (isServers(error) && error.state === '55P03') return false
    throw error
  }
}

async function locksRow(connection: Connection): Promise<boolean> {
  const rows = await connection.script(`BEGIN; SELECT nth FROM ${SCHEMA}.proving FOR NO KEY UPDATE SKIP LOCKED`)
  return rows.length > 0
}

/** Selects the owners of the schema and its tables, except trusted ones. An owner can drop acknowledged deliveries. */
const STRANGERS = `
  WITH RECURSIVE own (oid) AS (
    SELECT oid FROM pg_roles WHERE rolname = current_user
    UNION SELECT roleid FROM pg_auth_members JOIN own ON member = own.oid
  ), here (oid) AS (SELECT to_regnamespace('${SCHEMA}')::oid)
  SELECT rolname AS name FROM pg_roles
  WHERE oid IN (
      SELECT nspowner FROM pg_namespace WHERE oid IN (SELECT oid FROM here)
      UNION SELECT relowner FROM pg_class WHERE relnamespace IN (SELECT oid FROM here))
    AND NOT rolsuper AND rolname <> 'pg_database_owner' AND oid NOT IN (SELECT oid FROM own)
    AND oid <> (SELECT datdba FROM pg_database WHERE datname = current_database())`

/**
 * Refuses a schema that another role owns. @param trusted a role that may own the schema too. @throws SwitchhookError
 * `store_unavailable`
 */
export async function checkOwner(connection: Connection, trusted: string | undefined): Promise<void> {
  const owners = (await connection.script(STRANGERS)) as readonly { readonly name: string }[]
  const stranger = owners.find(({ name }) => name !== trusted)
  if (!stranger) return
  throw new SwitchhookError(
    'store_unavailable',
    `the schema ${SCHEMA} of this database, or a table in it, belongs to the role ${stranger.name}, which could drop what was acknowledged: give it to the bot's role (ALTER SCHEMA ${SCHEMA} OWNER TO …), or trust that role with the option schemaOwner (SWITCHHOOK_SCHEMA_OWNER)`,
  )
}
