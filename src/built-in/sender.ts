import type { Announces } from '../features/announcements/announcement.ts'

/** The members that built-in features give every sender. */
export type SenderMembers = object & Announces
