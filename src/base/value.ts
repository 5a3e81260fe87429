/** A value, or a promise of it. */
export type MaybeAsync<T> = T | Promise<T>

/** True for an object with members by name: no list and no null. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Names the kind of a refused value. The value itself is not shown, since it may be a secret. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'an array' : typeof value
}
