import { execute, exists, hot, sideBySide, sql, type Steps } from '../steps.ts'
import type { IngestOutcome, NewItem } from '../types/types.ts'

const CLAIMED_BY_FIRST = hot(`
  SELECT 1 AS claimed FROM inbox d JOIN inbox i ON i.id = d.first OR i.delivery = d.first
  WHERE d.id = ?i AND i.number = ?t AND i.identity = ?t AND i.binding = ?t LIMIT 1`)

export function* compareWithFirst(seq: number, items: readonly NewItem[]): Steps<IngestOutcome[]> {
  const claimed = items.map(() => false)
  const parts = items.map(({ number, identity }, nth) => ({
    keys: [],
    *begin() {
      claimed[nth] = yield* exists(CLAIMED_BY_FIRST(seq, number, identity?.key, identity?.binding))
    },
  }))
  yield* sideBySide(parts)
  if (claimed.length === 0 || claimed.includes(false)) return [{ idx: 0, identity: 'conflict' }]
  yield* execute(sql`
    UPDATE inbox SET mark = 'rendered_anew', note = 'the same message as the first one under this id, in other bytes'
    WHERE id = ${seq}`)
  return []
}
