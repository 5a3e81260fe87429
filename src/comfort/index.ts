/** What many shops want of their bot, each a few lines over the public face. */
export { handOver, resume } from './hand-over.ts'
export { type Downloaded, downloadMedia, type DownloadOptions } from './media/download.ts'
export { openingHours } from './opening-hours.ts'
export { quietWhilePeopleWrite } from './quiet.ts'
export { heedStop, startSending, type Stoppable, stopSending } from './stop.ts'
export type { Told } from './told.ts'
export { openAt, type OpeningHours } from './week.ts'
