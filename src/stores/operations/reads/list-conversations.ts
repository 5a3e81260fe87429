import type { ConversationPage, ConversationRow, Conversations } from '../../port/index.ts'
import { waitsOf } from '../items/open-conversation.ts'
import { allAs, sql, type Steps, when } from '../steps.ts'

interface Row extends Omit<ConversationRow, 'waits'> {
  readonly waits: string | undefined
}

/** See `Store.listConversations`. */
export function* listConversations({
  number,
  customer,
  limit,
  after,
}: Parameters<Conversations['listConversations']>[0]): Steps<ConversationPage> {
  const rows = yield* allAs<Row>(sql`
    SELECT id, number, customer, name, version, input, waits, opened_at AS "openedAt",
      (SELECT count(*) FROM conversation_steps s WHERE s.conversation = v.id) AS steps
    FROM conversations v WHERE state = 'open'
      ${when(number !== undefined, () => sql`AND number = ${number}`)}
      ${when(customer !== undefined, () => sql`AND customer = ${customer}`)}
      ${when(after !== undefined, () => sql`AND (number, customer) > (${after?.number}, ${after?.customer})`)}
    ORDER BY number, customer LIMIT ${limit}`)
  const conversations = rows.map((row) => ({ ...row, waits: waitsOf(row.waits) }))
  const last = rows.length < limit ? undefined : rows.at(-1)
  return { conversations, next: last && { number: last.number, customer: last.customer } }
}
