/** The requests of the admin page that built-in features answer. */
export { requests as announcements } from '../features/announcements/announcement-requests.ts'
export { requests as conversations } from '../features/conversations/conversation-requests.ts'
