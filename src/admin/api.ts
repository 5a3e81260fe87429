/**
 * The questions of the admin page to its server, and the answers. Times are ISO 8601 unless they say otherwise; customers,
 * texts, names and ids that may hold a number are masked unless a view was revealed. A member that is undefined is absent.
 */
export type * from './api/acts.ts'
export type * from './api/health.ts'
export { REFUSALS } from './api/routes.ts'
export type * from './api/routes.ts'
export type * from './api/views.ts'
