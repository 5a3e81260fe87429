/** The tenants' orders: a table of the platform, whose changes tell the customers. */
import type { Pool } from 'pg'
import type { Sender } from 'switchhook'

export const ORDERS = `CREATE TABLE IF NOT EXISTS orders (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  delivery text NOT NULL UNIQUE,
  tenant text NOT NULL,
  customer text NOT NULL,
  what text NOT NULL,
  state text NOT NULL DEFAULT 'new',
  tries integer NOT NULL DEFAULT 0
);
CREATE INDEX IF NOT EXISTS new_orders ON orders (tries, id) WHERE state = 'new'`

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
  let order
  try {
    await client.query('BEGIN')
    order = (await client.query(PACK)).rows[0]
    if (order) {
      const customer = senderOf(order.tenant).to(order.customer)
      await customer.send(`${order.what}: ready.`, { key: ['ready', order.id], tx: client })
    }
    await client.query('COMMIT')
  } catch (error) {
    // A client that is released with an error is closed, and its transaction with it.
    client.release(error as Error)
    if (order) await pool.query(BEHIND_THE_OTHERS, [order.id])
    throw error
  }
  client.release()
  return order !== undefined
}

/** Each worker packs another one. */
const PACK = `UPDATE orders SET state = 'ready' WHERE id = (
  SELECT id FROM orders WHERE state = 'new' ORDER BY tries, id LIMIT 1 FOR UPDATE SKIP LOCKED
) RETURNING id, tenant, customer, what`

/** An order whose tenant has left must not keep those of all others waiting. */
const BEHIND_THE_OTHERS = 'UPDATE orders SET tries = tries + 1 WHERE id = $1'
