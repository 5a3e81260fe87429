import type { ConversationRecord, KeptOf } from '../../port/index.ts'
import { all, sql, type Steps } from '../steps.ts'

/** See `Store.keptOf`. */
export function* keptOf(customer: string): Steps<KeptOf> {
  const ended = yield* all<Omit<ConversationRecord, 'steps'>>(sql`
    SELECT id, number, name, version, state, input, ended, opened_at AS "openedAt", ended_at AS "endedAt"
    FROM conversations WHERE customer = ${customer} ORDER BY opened_at, id`)
  const conversations: ConversationRecord[] = []
  for (const one of ended)
    conversations.push({
      ...one,
      steps: yield* all(sql`
        SELECT kind, name, result FROM conversation_steps WHERE conversation = ${one.id} ORDER BY step`),
    })
  return {
    conversations,
    sessions: yield* all(sql`
      SELECT number, value, expires_at AS "expiresAt" FROM sessions WHERE customer = ${customer} ORDER BY number`),
    windows: yield* all(sql`
      SELECT number, last_at AS "lastInboundAt", sent_at AS "lastSentAt" FROM lanes
      WHERE key = number || '/' || ${customer} AND last_at IS NOT NULL ORDER BY number`),
    mutes: yield* all(sql`
      SELECT number, why, since, until FROM mutes WHERE customer = ${customer} ORDER BY number`),
    timers: yield* all(sql`
      SELECT number, kind, name, due_at AS "dueAt", says FROM timers
      WHERE customer = ${customer} ORDER BY number, due_at, kind, name`),
    once: yield* all(sql`
      SELECT i.seq, o.name, o.result FROM items i JOIN once_results o ON o.item = i.id
      WHERE i.customer = ${customer} ORDER BY i.id, o.name`),
  }
}
