/** The built-in features that the admin page shows, by the names of their views. */
export { adminPart as announcements } from '../features/announcements/admin-part.ts'
export { adminPart as conversations } from '../features/conversations/conversations-admin.ts'
export { adminPart as people } from '../features/people/people-admin.ts'
