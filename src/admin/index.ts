/** The admin page: for the person who mends a bot and has a browser. */
export { type AdminPage, adminPage, type Observable } from './admin-page.ts'
export type { AdminOptions, Person } from './options.ts'
