import type { Tx } from './group-commit.ts'
import { leaveToSort } from './pending.ts'

/**
 * The event's name is not signed, so signed bytes can be posted under another one before the genuine delivery comes.
 * The first of them is then quarantined or ignored, and what bears the name that the bytes give themselves takes its
 * place: it is dispatched as if it were the first. Each name is let through once for the same bytes, and none after one
 * of them was handled; what the bytes do not name is for a person.
 */
export interface Misnamed {
  readonly root: number
  readonly digest: Buffer
  readonly event: string | null
  readonly own_event: string | null
  readonly state: string
}

/** Whether a delivery of the same bytes under this name is the genuine one, and comes now. */
export function isGenuine(tx: Tx, event: string | undefined, first: Misnamed | undefined): boolean {
  if (!first?.own_event || event === undefined || event === first.event) return false
  if (first.state !== 'quarantined' && first.state !== 'ignored') return false
  return (
    sameName(event, first.own_event) &&
    tx.sql(LET_THROUGH).get(first.root, first.root, first.digest, event) === undefined
  )
}

function sameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}

const LET_THROUGH = `
  SELECT 1 FROM deliveries
  WHERE (seq = ? OR of_seq = ?) AND digest = ? AND event = ? AND state NOT IN ('suspected_replay', 'conflict')`

const FIRST = `
  SELECT coalesce(of_seq, seq) AS root, digest, event, own_event, state FROM deliveries WHERE seq = ?`
const HELD = `
  SELECT seq, event FROM deliveries
  WHERE of_seq = ? AND digest = ? AND state = 'suspected_replay' AND delivery_id IS NOT NULL AND body_place IS NOT NULL
  ORDER BY seq`
const DISPATCH = "UPDATE deliveries SET state = 'stored', note = NULL WHERE seq = ?"
// What bears the genuine one's id and its bytes was no other delivery; other bytes under the id are a conflict of theirs.
const ID = `
  INSERT INTO delivery_ids (subscription, delivery_id, seq)
  SELECT subscription, delivery_id, seq FROM deliveries WHERE seq = ?
  ON CONFLICT DO UPDATE SET seq = excluded.seq
  WHERE (SELECT digest FROM deliveries d WHERE d.seq = delivery_ids.seq) = ?`
const SIGNED = `
  INSERT INTO signed (subscription, timestamp, digest, seq)
  SELECT subscription, timestamp, digest, seq FROM deliveries WHERE seq = ?
  ON CONFLICT DO UPDATE SET seq = excluded.seq`

/** Dispatches the genuine delivery that came before the sort found out, and was held as a suspected replay. */
export function promoteGenuine(tx: Tx, seq: number): void {
  const first = tx.sql(FIRST).get(seq) as Misnamed
  const held = tx.sql(HELD).all(first.root, first.digest) as { seq: number; event: string }[]
  const genuine = held.find(({ event }) => isGenuine(tx, event, first))
  if (!genuine) return
  tx.sql(DISPATCH).run(genuine.seq)
  tx.sql(ID).run(genuine.seq, first.digest)
  tx.sql(SIGNED).run(genuine.seq)
  leaveToSort(tx, genuine.seq)
}
