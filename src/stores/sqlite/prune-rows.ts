import type { PruneMark, Pruning } from '../port/index.ts'
import type { Tx } from './group-commit.ts'
import { ofDelivery } from './item-ids.ts'
import { AT_REST_SINCE, type StageEnd } from './prune-bytes.ts'
import { releaseClaims } from './prune-claims.ts'
import { type RemovedSend, removeTraces } from '../operations/prune-sends.ts'

// A delivery stays while another one points to it, and while one of its sends is open, unknown or younger: pruning
// would never find a send whose delivery is gone, and the send's key must not be free while a rerun may ask for it.
export const NOT_NEEDED = `${AT_REST_SINCE}
    AND NOT EXISTS (SELECT 1 FROM deliveries r WHERE r.of_seq = d.seq)
    AND NOT EXISTS (
      SELECT 1 FROM items i JOIN sends s ON s.cause = i.cause AND s.number = i.number
      WHERE ${ofDelivery('i.id', 'd.seq')} AND (s.settled_at IS NULL OR s.state = 'unknown' OR s.settled_at >= ?)
    )`
const ROWS = `
  SELECT seq, received_at, coalesce(of_seq, seq) AS root,
    (body_place IS NULL AND received_at < ? AND ${NOT_NEEDED}) AS free
  FROM deliveries d WHERE seq > ? ORDER BY seq LIMIT ?`

interface Row {
  readonly seq: number
  readonly received_at: number
  readonly root: number
  readonly free: number
}

/**
 * Removes all that is left of deliveries that were settled long enough ago: see `Store.prune`. It reads them in the
 * order of their arrival until all are young; a delivery that a clock ahead of ours has dated does not end that.
 */
export function pruneRows(tx: Tx, { idsBefore, now, limit }: Pruning, after: PruneMark): StageEnd {
  const rows = tx.sql(ROWS).all(idsBefore, idsBefore, idsBefore, after.seq, limit) as Row[]
  const free = rows.filter((row) => row.free === 1)
  for (const { seq, root } of free) remove(tx, seq, root)
  const young = rows.every(({ received_at: at }) => at >= idsBefore) && rows.some(({ received_at: at }) => at <= now)
  const last = rows.length < limit || young ? undefined : rows.at(-1)
  return { pruned: free.length, at: last && { receivedAt: last.received_at, seq: last.seq } }
}

// Deliveries of the same signed bytes share their cause, and so their sends: these go with the last delivery.
const REMOVE_SENDS = `
  DELETE FROM sends WHERE seq IN (
    SELECT s.seq FROM items i JOIN sends s ON s.cause = i.cause AND s.number = i.number
    WHERE ${ofDelivery('i.id', '?')} AND NOT EXISTS (
      SELECT 1 FROM deliveries m JOIN items o ON ${ofDelivery('o.id', 'm.seq')}
      WHERE (m.seq = ? OR m.of_seq = ?) AND m.seq <> ? AND o.cause = i.cause AND o.number = i.number
    )
  ) RETURNING id, message_id, upstream_id`
const REMOVE_REACHED = `DELETE FROM reached WHERE ${ofDelivery('item', '?')}`
const REMOVE_ONCE = `DELETE FROM once_results WHERE ${ofDelivery('item', '?')}`
const REMOVE_ITEMS = `DELETE FROM items WHERE ${ofDelivery('items.id', '?')}`
const REMOVE_ID = 'DELETE FROM delivery_ids WHERE subscription = ? AND delivery_id = ? AND seq = ?'
const REMOVE_SIGNED = 'DELETE FROM signed WHERE subscription = ? AND timestamp = ? AND digest = ? AND seq = ?'
const REMOVE = 'DELETE FROM deliveries WHERE seq = ? RETURNING subscription, delivery_id, timestamp, digest'

interface Keys {
  readonly subscription: string
  readonly delivery_id: string | null
  readonly timestamp: number
  readonly digest: Buffer
}

function remove(tx: Tx, seq: number, root: number): void {
  const sends = tx.sql(REMOVE_SENDS).all(seq, seq, root, root, seq)
  for (const send of sends as RemovedSend[]) tx.drive(removeTraces(send))
  releaseClaims(tx, seq)
  tx.sql(REMOVE_ONCE).run(seq, seq)
  tx.sql(REMOVE_REACHED).run(seq, seq)
  tx.sql(REMOVE_ITEMS).run(seq, seq)
  const { subscription, delivery_id: id, timestamp, digest } = tx.sql(REMOVE).get(seq) as Keys
  // A key may belong to another delivery by now.
  tx.sql(REMOVE_ID).run(subscription, id, seq)
  tx.sql(REMOVE_SIGNED).run(subscription, timestamp, digest, seq)
}
