import type { listConversations } from './conversations-admin.ts'

// Answers of the admin page's server about conversations.

export type ConversationSummary = Awaited<ReturnType<typeof listConversations>>['rows'][number]
