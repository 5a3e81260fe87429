import type { StoredDelivery } from '../port/index.ts'
import type { Connection } from './connection.ts'

export interface DeliveryRow {
  seq: number
  subscription: string
  delivery_id: string
  event: string
  timestamp: number
  digest: Buffer
  body: Buffer
  received_at: number
  clock_offset: number
}

export const DELIVERY_COLUMNS =
  'd.seq, d.subscription, d.delivery_id, d.event, d.timestamp, d.digest, d.body, d.received_at, d.clock_offset'

const UNSORTED = `SELECT ${DELIVERY_COLUMNS} FROM deliveries d WHERE d.state = 'stored' ORDER BY d.seq LIMIT ?`

export function unsorted(connection: Connection, limit: number): StoredDelivery[] {
  return (connection.sql(UNSORTED).all(limit) as DeliveryRow[]).map(deliveryOf)
}

export function deliveryOf(row: DeliveryRow): StoredDelivery {
  return {
    seq: row.seq,
    subscription: row.subscription,
    deliveryId: row.delivery_id,
    event: row.event,
    timestamp: row.timestamp,
    digest: row.digest,
    body: row.body,
    receivedAt: row.received_at,
    clockOffset: row.clock_offset,
  }
}
