/** The platform's database, which is the bot's too: the platform's tables stand beside the schema of the bot. */
import { Pool } from 'pg'
import { ORDERS } from './orders.ts'
import { TENANTS } from './tenants.ts'

export async function openDatabase(): Promise<Pool> {
  const pool = new Pool({ connectionString: process.env['DATABASE_URL'] })
  // A connection that breaks would end the process, whether somebody uses it or not.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  // The lock lets one process at a time make the tables, however many start at once.
  await pool.query(`SELECT pg_advisory_xact_lock(7781); ${TENANTS}; ${ORDERS}`)
  return pool
}
