/** The built-in features with tables. */
export { effects as announcements } from '../features/announcements/store/effects.ts'
