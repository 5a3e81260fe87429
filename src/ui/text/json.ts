export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [name: string]: JsonValue }

/** Parses a text that may be no JSON; then the result is undefined, which JSON itself cannot express. */
export function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return undefined
  }
}

/** Parses a text that must be a JSON object, such as a payload. */
export function parseJsonObject(text: string): Record<string, unknown> | undefined {
  const value = parseJson(text)
  return isJsonObject(value) ? value : undefined
}

export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A deeper tree would overflow the stack while it renders, and a tree with more members would take seconds. */
const MAX_DEPTH = 100
const MAX_MEMBERS = 3_000

/** Tells if a value is small enough to be shown as a tree that folds. */
export function fitsTree(value: JsonValue): boolean {
  let level: readonly JsonValue[] = [value]
  let count = 0
  for (let depth = 0; level.length > 0; depth++) {
    count += level.length
    if (depth > MAX_DEPTH || count > MAX_MEMBERS) return false
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []))
  }
  return true
}
