/** The built-in features with tables. */
export { effects as announcements } from '../features/announcements/store/effects.ts'
export { effects as conversations } from '../features/conversations/store/conversation-effects.ts'
export { effects as people } from '../features/people/store/people-effects.ts'
