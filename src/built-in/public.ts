/** The types and functions of built-in features that an app may import. */
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
