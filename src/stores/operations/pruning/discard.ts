import { wipeFacts } from '../items/contents.ts'
import { ofDelivery } from '../items/item-ids.ts'
import { one, sql, type Steps } from '../steps.ts'
import { wipeDeliveries } from './prune-bytes.ts'
import { removeDeliveries } from './prune-rows.ts'

/** Removes a delivery at rest, also one that waits for a person: see `Store.discard`. */
export function* discard(seq: number): Steps<readonly number[]> {
  const found = yield* one<{ place: number | null }>(sql`
    SELECT body_place AS place FROM deliveries d
    WHERE seq = ${seq}
      AND (SELECT 1 FROM deliveries r WHERE r.of_seq = d.seq LIMIT 1) IS NULL
      AND (SELECT 1 FROM pending p WHERE p.seq = d.seq) IS NULL
      AND NOT EXISTS (
        SELECT 1 FROM items i WHERE ${ofDelivery('i.id', 'd.seq')} AND (
          i.state IN ('stored', 'running', 'retry') OR (
            SELECT count(*) > count(s.settled_at) FROM sends s WHERE s.cause = i.cause AND s.number = i.number))
      )`)
  if (!found) return []
  if (found.place !== null) yield* wipeDeliveries([{ seq, place: found.place }])
  else yield* wipeFacts(JSON.stringify([seq]))
  // No claim of an identity stays: its item would be counted as waiting for a person.
  yield* removeDeliveries([seq], Number.MAX_SAFE_INTEGER)
  return [seq]
}
