import type { listConversations } from './conversations-admin.ts'

// What the server of the admin page answers about conversations.

export type ConversationSummary = Awaited<ReturnType<typeof listConversations>>['rows'][number]
