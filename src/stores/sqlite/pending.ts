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

const UNSORTED = `
  SELECT seq, subscription, delivery_id, event, timestamp, digest,
    (SELECT content FROM contents WHERE place = body_place) AS body, received_at, clock_offset,
    CASE state WHEN 'conflict' THEN of_seq END AS conflicts_with
  FROM deliveries WHERE seq IN (SELECT seq FROM unsorted ORDER BY seq LIMIT ?) ORDER BY seq`

/** What waits for the sort, oldest first: see `Store.unsorted`. */
export function unsorted(connection: Connection, limit: number): StoredDelivery[] {
  if (newerSchema(connection.sql) !== undefined) return []
  return (connection.sql(UNSORTED).all(limit) as Row[]).map((row) => ({
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

const LEAVE = 'INSERT INTO unsorted (seq) VALUES (?)'
const LEAVE_AGAIN = 'INSERT INTO unsorted (seq, again) VALUES (?, 1) ON CONFLICT DO NOTHING'

/** Leaves to the sort what it has not seen. */
export function leaveToSort(tx: Tx, seq: number): void {
  tx.sql(LEAVE).run(seq)
  tx.wake('items')
}

/** Leaves to the sort what it has seen before; false where that waits for it already. */
export function leaveToSortAgain(tx: Tx, seq: number): boolean {
  tx.wake('items')
  return tx.sql(LEAVE_AGAIN).run(seq).changes > 0
}
