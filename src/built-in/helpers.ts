/** Helpers of built-in features, which apps import from `switchhook/comfort`. */
export { handOver, quietWhilePeopleWrite, resume } from '../features/people/helpers.ts'
