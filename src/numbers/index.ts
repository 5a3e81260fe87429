/** What a source of the app says of its numbers, kept for as long as it may be used. */
export { createNumberCache, type NumberCache } from './number-cache.ts'
export { NumberUnavailable } from './unavailable.ts'
