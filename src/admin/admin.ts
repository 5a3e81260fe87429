export { type AdminPage, adminPage, type Observable } from './admin-page.ts'
export type { AdminOptions, Person } from './door.ts'
