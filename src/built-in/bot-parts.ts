/** The built-in features that are part of a bot. */
export { botPart as announcements } from '../features/announcements/bot-part.ts'
export { botPart as codes } from '../features/codes/send-code.ts'
