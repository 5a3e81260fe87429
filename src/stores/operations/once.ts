import type { Fence, KeptOnce } from '../port/index.ts'
import { itemId, ofDelivery, seqOfItem } from './item-ids.ts'
import { holdsLane } from './lanes.ts'
import { all, one, run, sql, type Steps } from './steps.ts'

/** The result that an effect of this name had in an earlier run: see `Store.onceResult`. */
export function* onceResult(item: number, name: string): Steps<string | undefined> {
  const kept = yield* one<{ result: string }>(sql`
    SELECT result FROM once_results WHERE item = ${item} AND name = ${name}`)
  return kept?.result
}

/** Stores an effect's result: see `Store.keepOnce`. */
export function* keepOnce(fence: Fence, item: number, name: string, result: string): Steps<boolean> {
  if (!(yield* holdsLane(fence))) return false
  yield* run(sql`
    INSERT INTO once_results (item, name, result) VALUES (${item}, ${name}, ${result}) ON CONFLICT DO NOTHING`)
  return true
}

/** See `Reader.onceResults`. */
export function* onceResults(seqs: readonly number[]): Steps<readonly KeptOnce[]> {
  const kept = yield* all<{ item: number; name: string; result: string }>(sql`
    SELECT o.item, o.name, o.result FROM deliveries d JOIN once_results o ON ${ofDelivery('o.item', 'd.seq')}
    WHERE d.seq IN numbers(${JSON.stringify(seqs)}) ORDER BY o.item, o.name`)
  return kept.map(({ item, name, result }) => {
    const seq = seqOfItem(item)
    return { seq, idx: item - itemId(seq, 0), name, result }
  })
}
