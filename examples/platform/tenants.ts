/** The tenants: a table of the platform, from which all processes learn the numbers, keys and secrets. */
import type { Pool } from 'pg'
import type { NumberSource } from 'switchhook'

/** Your own platform encrypts the last two columns. */
export const TENANTS = `CREATE TABLE IF NOT EXISTS tenants (
  number text PRIMARY KEY,
  api_key text NOT NULL,
  webhook_secrets text[] NOT NULL
)`

export interface Tenant {
  readonly number: string
  readonly apiKey: string
  readonly webhookSecret: string
}

/** The option `numbers` of the bot, which keeps an answer for a minute, and calls `find` again after a wrong signature. */
export function tenantsOf(pool: Pool): NumberSource {
  return {
    async find(number) {
      const { rows } = await pool.query('SELECT api_key, webhook_secrets FROM tenants WHERE number = $1', [number])
      return rows[0] && { accessToken: rows[0].api_key, signingSecret: rows[0].webhook_secrets }
    },
  }
}

export async function signUp(pool: Pool, { number, apiKey, webhookSecret }: Tenant): Promise<void> {
  await pool.query('INSERT INTO tenants VALUES ($1, $2, ARRAY[$3])', [number, apiKey, webhookSecret])
}

/** The secret before this one stays, for what was signed with it and is still on its way. */
export async function rotateSecret(pool: Pool, number: string, secret: string): Promise<void> {
  await pool.query(
    'UPDATE tenants SET webhook_secrets = ARRAY[$2, webhook_secrets[1]] WHERE number = $1', //
    [number, secret],
  )
}
