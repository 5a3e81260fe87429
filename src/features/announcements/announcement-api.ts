import type { listAnnouncements, showAnnouncement } from './announcements-view.ts'

// Answers of the admin page's server about announcements.

export type AnnouncementSummary = Awaited<ReturnType<typeof listAnnouncements>>['rows'][number]
export type AnnouncementView = Awaited<ReturnType<typeof showAnnouncement>>
export type RecipientView = AnnouncementView['recipients'][number]

export interface FoundRecipients {
  readonly recipients: readonly RecipientView[]
}
