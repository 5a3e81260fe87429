/** Helpers that many shops want for their bot. */
export { handOver, quietWhilePeopleWrite, resume } from './hand-over.ts'
export { openAt, openingHours, type OpeningHours } from './opening-hours.ts'
export { startSending, stopSending } from './hand-over.ts'
export type { Told } from './opening-hours.ts'
