/** The types of built-in features that an app may name. */
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
