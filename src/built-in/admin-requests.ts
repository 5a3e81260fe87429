/** What the admin page may request of built-in features. */
export { requests as announcements } from '../features/announcements/announcement-requests.ts'
export { requests as conversations } from '../features/conversations/conversation-requests.ts'
