/** What an app may import of built-in features. */
export type {
  AnnouncedContent,
  AnnouncedRecipient,
  Announcement,
  AnnouncementProgress,
  AnnounceOptions,
  Recipients,
  RecipientsQuery,
  RecipientState,
  RetryOptions,
} from '../features/announcements/announcement.ts'
export type {
  Answer,
  AskOptions,
  Chat,
  ConversationOptions,
  EndReason,
  SayOptions,
} from '../features/conversations/conversation.ts'
export { media } from '../features/conversations/conversation.ts'
export type { Conversation } from '../features/conversations/entering.ts'
