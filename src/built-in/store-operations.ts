/** The built-in features that add operations to the store. */
export { operations as announcements } from '../features/announcements/store/operations.ts'
export { operations as codes } from '../features/codes/store/open-code.ts'
export { operations as conversations } from '../features/conversations/store/conversation-operations.ts'
export { operations as people } from '../features/people/store/people-operations.ts'
