/**
 * What the admin page asks its server, and what it is answered. Times are ISO 8601 unless they say otherwise; customers,
 * texts, names and ids that may hold a number are masked unless a view was revealed. A member that is undefined is absent.
 */
export type * from './api/acts.ts'
export type * from './api/health.ts'
export { REFUSALS } from './api/routes.ts'
export type * from './api/routes.ts'
export type * from './api/views.ts'
