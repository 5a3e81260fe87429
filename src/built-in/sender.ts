import type { Announces } from '../features/announcements/announcement.ts'

/** The members that built-in features give a bot, and `bot.number(name)`. */
export type SenderMembers = object & Announces
