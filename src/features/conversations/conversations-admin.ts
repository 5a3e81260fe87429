import { Refused } from '../../admin/admin-http.ts'
import type { ActDeps, AdminPart, ReadyAct } from '../../admin/part.ts'
import { customerName, limitIn, textIn, type ViewDeps } from '../../admin/query.ts'
import type { CustomerOfNumber } from '../../store/database/customer-tables.ts'
import { iso } from '../../view/delivery-view.ts'
import type { AskedEnd } from './conversation-requests.ts'
import type { ConversationRow } from './store/conversations.ts'

export const adminPart = {
  list: listConversations,
  acts: { end_conversation: end },
  async ofCustomer(who: CustomerOfNumber, deps: ViewDeps) {
    const [conversation] = (await deps.desk.store.listConversations({ ...who, limit: 1 })).conversations
    return { ...(conversation && { conversation: conversationSummary(conversation, deps) }) }
  },
} satisfies AdminPart

async function end({ conversation: id }: AskedEnd, { desk: { store } }: ActDeps): Promise<ReadyAct> {
  const { conversation } = await store.journalOf(id)
  if (!conversation) throw new Refused('not_found', `The conversation ${JSON.stringify(id)} does not exist.`)
  return {
    what: `conversation ${id}`,
    numbers: [conversation.number],
    async run() {
      if (await store.endConversation(id, store.clock())) return { count: 1, untouched: [] }
      throw new Refused('not_possible', 'The conversation is not open.')
    },
  }
}

/** The form of a conversation's id. A customer's handle is longer, so it never matches. */
const CURSOR = /^[\w-]{1,48}$/

export async function listConversations(query: URLSearchParams, deps: ViewDeps) {
  const after = textIn(query, 'after')
  if (after !== undefined && !CURSOR.test(after))
    throw new Refused('invalid', 'after: expected the cursor of this list')
  const { conversations, next } = await deps.desk.store.listConversations({
    number: textIn(query, 'number'),
    limit: limitIn(query),
    after,
  })
  return { rows: conversations.map((row) => conversationSummary(row, deps)), ...(next !== undefined && { next }) }
}

function conversationSummary(row: ConversationRow, deps: ViewDeps) {
  const { id, name, version, openedAt, steps, waits } = row
  return {
    id,
    ...customerName(row, deps),
    name,
    version,
    openedAt: iso(openedAt),
    steps,
    ...(waits && { waits: { for: waits.for, since: iso(waits.since), until: iso(waits.dueAt) } }),
  }
}
