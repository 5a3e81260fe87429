/** The built-in features with operations of the store. */
export { operations as announcements } from '../features/announcements/store/operations.ts'
