import type { DeliveryState } from '../port/index.ts'
import { isGenuineName } from '../rules/acceptance.ts'
import type { Tx } from './group-commit.ts'
import { leavePending } from './pending.ts'

const DISPATCHED_UNDER = `
  SELECT 1 FROM deliveries
  WHERE (seq = ? OR of_seq = ?) AND digest = ? AND event = ? AND state NOT IN ('suspected_replay', 'conflict')`

/** The bytes of a spoofed delivery were dispatched under this event name before. */
export function wasDispatchedUnder(
  tx: Tx,
  { digest, event }: { readonly digest: Uint8Array; readonly event: string | undefined },
  { root }: { readonly root: number },
): boolean {
  return tx.sql(DISPATCHED_UNDER).get(root, root, digest, event) !== undefined
}

const SPOOFED = `
  SELECT coalesce(of_seq, seq) AS root, digest, event, own_event, state FROM deliveries WHERE seq = ?`
const HELD = `
  SELECT seq, event FROM deliveries
  WHERE of_seq = ? AND digest = ? AND state = 'suspected_replay' AND body_place IS NOT NULL
    AND delivery_id IS NOT NULL AND event IS NOT NULL
  ORDER BY seq`
const DISPATCH = "UPDATE deliveries SET state = 'stored', note = NULL WHERE seq = ?"
// The id passes to the genuine delivery only from the same bytes; if other bytes have it, the conflict is theirs.
const TAKE_ID = `
  INSERT INTO delivery_ids (subscription, delivery_id, seq)
  SELECT subscription, delivery_id, seq FROM deliveries WHERE seq = ?
  ON CONFLICT DO UPDATE SET seq = excluded.seq
  WHERE (SELECT digest FROM deliveries d WHERE d.seq = delivery_ids.seq) = ?`
const TAKE_SIGNED = `
  INSERT INTO signed (subscription, timestamp, digest, seq)
  SELECT subscription, timestamp, digest, seq FROM deliveries WHERE seq = ?
  ON CONFLICT DO UPDATE SET seq = excluded.seq`

interface SpoofedRow {
  readonly root: number
  readonly digest: Buffer
  readonly event: string | null
  readonly own_event: string | null
  readonly state: DeliveryState
}

/**
 * Dispatches the genuine delivery that came before ingest found the event name of `seq` to be false, and was held as a
 * suspected replay: see the rule `earlierSpoofs`.
 */
export function promoteGenuine(tx: Tx, seq: number): void {
  const row = tx.sql(SPOOFED).get(seq) as SpoofedRow
  const spoofed = { ...row, event: row.event ?? undefined, ownEvent: row.own_event ?? undefined }
  const held = tx.sql(HELD).all(row.root, row.digest) as { seq: number; event: string }[]
  const genuine = held.find(
    ({ event }) => isGenuineName(event, spoofed) && !wasDispatchedUnder(tx, { digest: row.digest, event }, spoofed),
  )
  if (!genuine) return
  tx.sql(DISPATCH).run(genuine.seq)
  tx.sql(TAKE_ID).run(genuine.seq, row.digest)
  tx.sql(TAKE_SIGNED).run(genuine.seq)
  leavePending(tx, genuine.seq)
}
