/** The answers of the app's source of numbers, kept for as long as they may be used. */
export { createNumberCache, type NumberCache } from './number-cache.ts'
export { NumberUnavailable } from './unavailable.ts'
