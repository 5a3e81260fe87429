import { wipeFacts } from './contents.ts'
import { ofDelivery } from './item-ids.ts'
import { wipeDelivery } from './prune-bytes.ts'
import { removeDelivery } from './prune-rows.ts'
import { one, sql, type Steps } from './steps.ts'

/** Removes a delivery at rest, also one that waits for a person: see `Store.discard`. */
export function* discard(seq: number): Steps<readonly number[]> {
  const found = yield* one<{ place: number | null; root: number }>(sql`
    SELECT body_place AS place, coalesce(of_seq, seq) AS root FROM deliveries d
    WHERE seq = ${seq}
      AND NOT EXISTS (SELECT 1 FROM deliveries r WHERE r.of_seq = d.seq)
      AND NOT EXISTS (SELECT 1 FROM pending p WHERE p.seq = d.seq)
      AND NOT EXISTS (
        SELECT 1 FROM items i WHERE ${ofDelivery('i.id', 'd.seq')} AND i.state IN ('stored', 'running', 'retry')
      )
      AND NOT EXISTS (
        SELECT 1 FROM items i JOIN sends s ON s.cause = i.cause AND s.number = i.number
        WHERE ${ofDelivery('i.id', 'd.seq')} AND s.settled_at IS NULL
      )`)
  if (!found) return []
  if (found.place !== null) yield* wipeDelivery(seq, found.place)
  yield* wipeFacts(seq)
  // No claim of an identity stays: its item would be counted as waiting for a person.
  yield* removeDelivery(seq, found.root, Number.MAX_SAFE_INTEGER)
  return [seq]
}
