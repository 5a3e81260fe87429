import type { PruneMark, Pruning } from '../port/index.ts'
import { wipe, wipeFacts } from './contents.ts'
import type { Tx } from './group-commit.ts'
import { ofDelivery } from './item-ids.ts'

/** The work of one transaction of a stage. */
export interface StageEnd {
  readonly pruned: number
  /** The last row looked at; undefined if the stage has ended. */
  readonly at: { readonly receivedAt: number; readonly seq: number } | undefined
}

/**
 * SQL condition for a delivery that has been at rest for good since before a time. Parked and dead items, quarantined
 * deliveries and conflicts wait for a person, pending and unsettled ones for a process: age alone removes none of them.
 * A suspected replay goes no sooner than the delivery that it resembles.
 */
export const AT_REST_SINCE = `NOT EXISTS (
    SELECT 1 FROM deliveries o WHERE o.seq IN (d.seq, CASE d.state WHEN 'suspected_replay' THEN d.of_seq END) AND (
      o.state IN ('quarantined', 'conflict')
      OR EXISTS (SELECT 1 FROM pending p WHERE p.seq = o.seq)
      OR EXISTS (
        SELECT 1 FROM items i WHERE ${ofDelivery('i.id', 'o.seq')}
          AND (i.settled_at IS NULL OR i.settled_at >= ? OR i.state NOT IN ('done', 'ignored', 'same_message'))
      )
    )
  )`

const WITH_BYTES = `
  SELECT seq, received_at, body_place, (SELECT length(content) FROM contents WHERE place = body_place) AS size,
    ${AT_REST_SINCE} AS free
  FROM deliveries d INDEXED BY deliveries_bytes
  WHERE body_place IS NOT NULL AND received_at < ? AND (received_at, seq) > (?, ?)
  ORDER BY received_at, seq LIMIT ?`
const WIPED = 'UPDATE deliveries SET body_place = NULL WHERE seq = ?'

/** Large bodies end a transaction early, since each of their pages is overwritten. */
const BYTES_AT_ONCE = 4_194_304

/** Removes the bytes of deliveries that were settled long enough ago, and the facts that were read from them. */
export function pruneBytes(tx: Tx, { bytesBefore, limit }: Pruning, after: PruneMark): StageEnd {
  const rows = tx.sql(WITH_BYTES).all(bytesBefore, bytesBefore, after.receivedAt, after.seq, limit) as {
    seq: number
    received_at: number
    body_place: number
    size: number
    free: number
  }[]
  let pruned = 0
  let bytes = 0
  for (const { seq, received_at: receivedAt, body_place: place, size, free } of rows) {
    if (free === 0) continue
    wipe(tx, place)
    wipeFacts(tx, seq)
    tx.sql(WIPED).run(seq)
    pruned++
    bytes += size
    if (bytes >= BYTES_AT_ONCE) return { pruned, at: { receivedAt, seq } }
  }
  const last = rows.length < limit ? undefined : rows.at(-1)
  return { pruned, at: last && { receivedAt: last.received_at, seq: last.seq } }
}
