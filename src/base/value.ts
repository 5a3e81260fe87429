/** What an app may give at once or promise. */
export type MaybeAsync<T> = T | Promise<T>

/** An object with members by name: no list and no null. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** What came instead, as a refusal says it: its kind alone, since the value may be a secret. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'an array' : typeof value
}
