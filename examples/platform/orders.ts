/** The tenants' orders: a table of the platform, whose changes tell the customers. */
import type { Pool } from 'pg'
import type { Sender } from 'switchhook'

export const ORDERS = `CREATE TABLE IF NOT EXISTS orders (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  delivery text NOT NULL UNIQUE,
  tenant text NOT NULL,
  customer text NOT NULL,
  what text NOT NULL,
  state text NOT NULL DEFAULT 'new'
)`

interface NewOrder {
  /** The id of the delivery that asked for it makes it one order, however often its handler runs. */
  readonly delivery: string
  readonly tenant: string
  readonly customer: string
  readonly what: string
}

export async function noteOrder(pool: Pool, { delivery, tenant, customer, what }: NewOrder): Promise<void> {
  await pool.query(
    'INSERT INTO orders (delivery, tenant, customer, what) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING',
    [delivery, tenant, customer, what],
  )
}

/**
 * Packs the oldest new order. The order is packed and its customer told, or neither: the message is recorded in the
 * order's own transaction, and goes out after the commit. Answers if there was one.
 */
export async function packOrder(pool: Pool, senderOf: (tenant: string) => Sender): Promise<boolean> {
  const client = await pool.connect()
  let failure: Error | undefined
  try {
    await client.query('BEGIN')
    const { rows } = await client.query(PACK)
    for (const { id, tenant, customer, what } of rows)
      await senderOf(tenant)
        .to(customer)
        .send(`${what}: ready.`, { key: ['ready', id], tx: client })
    await client.query('COMMIT')
    return rows.length > 0
  } catch (error) {
    failure = error as Error
    throw error
  } finally {
    // A client that is released with an error is closed, and its transaction with it.
    client.release(failure)
  }
}

/** Each worker packs another one. */
const PACK = `UPDATE orders SET state = 'ready' WHERE id = (
  SELECT id FROM orders WHERE state = 'new' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED
) RETURNING id, tenant, customer, what`
