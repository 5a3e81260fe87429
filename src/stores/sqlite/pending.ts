import type { StoredDelivery } from '../port/index.ts'
import type { Connection } from './connection.ts'
import type { Tx } from './group-commit.ts'
import { newerSchema } from './schema-version.ts'

interface Row {
  readonly seq: number
  readonly subscription: string
  readonly delivery_id: string
  readonly event: string
  readonly timestamp: number
  readonly digest: Buffer
  readonly body: Buffer
  readonly received_at: number
  readonly clock_offset: number
  readonly conflicts_with: number | null
}

const PENDING = `
  SELECT seq, subscription, delivery_id, event, timestamp, digest,
    (SELECT content FROM contents WHERE place = body_place) AS body, received_at, clock_offset,
    CASE state WHEN 'conflict' THEN of_seq END AS conflicts_with
  FROM deliveries WHERE seq IN (SELECT seq FROM pending ORDER BY seq LIMIT ?) ORDER BY seq`

/** Deliveries that wait for ingest, oldest first: see `Store.pending`. */
export function pendingDeliveries(connection: Connection, limit: number): StoredDelivery[] {
  if (newerSchema(connection.sql) !== undefined) return []
  return (connection.sql(PENDING).all(limit) as Row[]).map((row) => ({
    seq: row.seq,
    subscription: row.subscription,
    deliveryId: row.delivery_id,
    event: row.event,
    timestamp: row.timestamp,
    digest: row.digest,
    body: row.body,
    receivedAt: row.received_at,
    clockOffset: row.clock_offset,
    conflictsWith: row.conflicts_with ?? undefined,
  }))
}

const LEAVE = 'INSERT INTO pending (seq) VALUES (?)'
const LEAVE_AGAIN = 'INSERT INTO pending (seq, again) VALUES (?, 1) ON CONFLICT DO NOTHING'

/** Leaves a delivery pending that no ingest has seen. */
export function leavePending(tx: Tx, seq: number): void {
  tx.sql(LEAVE).run(seq)
  tx.wake('items')
}

/** Leaves a delivery pending that was ingested before; false if it is pending already. */
export function leavePendingAgain(tx: Tx, seq: number): boolean {
  tx.wake('items')
  return tx.sql(LEAVE_AGAIN).run(seq).changes > 0
}
