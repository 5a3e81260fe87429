import type { Fence, KeptConversationOnce, KeptOnce, OnceResult } from '../../port/index.ts'
import type { Reader } from '../../port/reader.ts'
import { itemId, itemIdsOf, seqOf, seqOfItem } from '../items/item-ids.ts'
import { holdsLane } from '../lanes/lanes.ts'
import { all, one, run, sql, type Steps, when } from '../steps.ts'

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
    SELECT item, name, result FROM once_results
    WHERE item IN numbers(${yield* itemIdsOf(JSON.stringify(seqs))}) ORDER BY item, name`)
  return kept.map(({ item, name, result }) => {
    const seq = seqOfItem(item)
    return { seq, idx: item - itemId(seq, 0), name, result }
  })
}

/** See `Reader.onceOfConversations`. */
export function* onceOfConversations({
  fromSeq,
  after,
  limit,
}: Parameters<Reader['onceOfConversations']>[0]): Steps<readonly KeptConversationOnce[]> {
  const rows = yield* all<{ id: string; name: string; seq: number; subscription: string }>(sql`
    SELECT c.id, c.name, d.seq, d.subscription
    FROM conversations c JOIN deliveries d ON d.seq = ${seqOf('c.item')}
    WHERE c.item >= ${itemId(fromSeq, 0)} ${when(after !== undefined, () => sql`AND c.id > ${after}`)}
      AND EXISTS (SELECT 1 FROM conversation_steps s WHERE s.conversation = c.id AND s.kind = 'once')
    ORDER BY c.id LIMIT ${limit}`)
  const results = yield* all<OnceResult & { conversation: string }>(sql`
    SELECT conversation, name, result FROM conversation_steps
    WHERE conversation IN list(${JSON.stringify(rows.map(({ id }) => id))}) AND kind = 'once' AND result IS NOT NULL
    ORDER BY conversation, step`)
  return rows.map(({ id, ...row }) => ({
    conversation: id,
    ...row,
    once: results.filter(({ conversation }) => conversation === id).map(({ name, result }) => ({ name, result })),
  }))
}
