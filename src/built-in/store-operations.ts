/** The built-in features with operations of the store. */
export { operations as announcements } from '../features/announcements/store/operations.ts'
export { operations as codes } from '../features/codes/store/open-code.ts'
export { operations as conversations } from '../features/conversations/store/conversation-operations.ts'
export { operations as people } from '../features/people/store/people-operations.ts'
