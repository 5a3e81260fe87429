/** The fallback is a message of its own, under a key of its own (ERR-06). */
export function fallbackKey(key: string): string {
  return `${key}:fallback`
}
