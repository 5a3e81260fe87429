/** The built-in features that work while a bot runs. */
export { botPart as announcements } from '../features/announcements/bot-part.ts'
export { botPart as codes } from '../features/codes/send-code.ts'
