/** The helpers of built-in features, for the entry point that has helpers. */
export { handOver, quietWhilePeopleWrite, resume } from '../features/people/helpers.ts'
