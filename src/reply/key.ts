/** The same for the same cause, in every process and after every restart (IDEM-01). */
export { keyFrom as keyOf } from '../client/index.ts'

/** The fallback is a message of its own, under a key of its own (ERR-06). */
export function fallbackKey(key: string): string {
  return `${key}:fallback`
}
