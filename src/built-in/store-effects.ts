/** The built-in features that add tables to the store. */
export { effects as announcements } from '../features/announcements/store/effects.ts'
export { effects as conversations } from '../features/conversations/store/conversation-effects.ts'
export { effects as people } from '../features/people/store/people-effects.ts'
