import { findCustomer } from '../../../store/customers/customer.ts'
import { sql } from '../../../store/database/sql.ts'
import { all, execute, MOST_COUNTED, one, type Steps } from '../../../store/database/steps.ts'
import type { Move, StoreEffects } from '../../../store/database/store-effects.ts'
import { timers } from '../../../store/database/customer-tables.ts'
import { OLD_CONVERSATIONS } from './conversation-pruning.ts'
import { conversationsRemoved, endConversations, prolonged, waitAt, writeConversations } from './conversation-rows.ts'
import { conversation_steps, conversations } from './conversation-tables.ts'
import { waitsOf } from './open-conversation.ts'

export const effects = {
  tables: { conversations, conversation_steps },
  kinds: {
    conversation_due: { event: 'conversation.due', words: 'of a timer of a conversation' },
    enter: { event: 'conversation.enter', words: 'of a customer who enters a conversation' },
  },
  settled: writeConversations,
  *prolong(who, ms) {
    const id = (yield* findCustomer(who))?.conversation ?? undefined
    if (id === undefined) return
    const open = yield* one<{ waits: string | null; item: number }>(sql`
      SELECT waits, item FROM ${conversations} WHERE id = ${id} AND state = 'open'`)
    const waits = waitsOf(open?.waits)
    if (open && waits?.for === 'answer') yield* waitAt(id, prolonged(waits, ms), open.item)
  },
  removed: conversationsRemoved,
  search: OLD_CONVERSATIONS,
  *overview(): Steps<number> {
    const counted = yield* one<{ n: number }>(sql`
      SELECT count(*) AS n FROM (SELECT 1 FROM ${conversations} WHERE state = 'open' LIMIT ${MOST_COUNTED}) AS found`)
    return counted?.n ?? 0
  },
  ofCustomer: {
    table: conversations,
    kept: {
      conversations: {
        numbers: (customer) => sql`SELECT number FROM ${conversations} WHERE customer = ${customer}`,
        *read(customer) {
          const entered = yield* all<{ id: string }>(sql`
            SELECT id, number, name, version, state, input, ended, opened_at AS "openedAt", ended_at AS "endedAt"
            FROM ${conversations} WHERE customer = ${customer} ORDER BY opened_at, id`)
          const told = []
          for (const one of entered)
            told.push({
              ...one,
              steps: yield* all(sql`
                SELECT kind, name, result FROM ${conversation_steps} WHERE conversation = ${one.id} ORDER BY step`),
            })
          return told
        },
      },
    },
    moves: { conversations: { keys: ['id'], move: moveConversation } },
  },
} as const satisfies StoreEffects

/** Gives a conversation to the customer `to`. If both customers have an open conversation, the older one ends. */
function* moveConversation(...[row, { number }, to, { now }]: Parameters<Move>): Steps<void> {
  const { id, state, opened_at: openedAt } = row
  const other = yield* one<{ id: string; at: number }>(sql`
    SELECT id, opened_at AS at FROM ${conversations} WHERE number = ${number} AND customer = ${to} AND state = 'open'`)
  if (state === 'open' && other) {
    const older = other.at <= Number(openedAt) ? other.id : String(id)
    yield* endConversations(sql`id = ${older}`, 'changed', now)
    yield* execute(sql`DELETE FROM ${timers} WHERE number = ${number} AND customer = ${to} AND name = ${older}`)
  }
  yield* execute(sql`UPDATE ${conversations} SET customer = ${to} WHERE id = ${id}`)
}
