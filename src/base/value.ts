export type MaybeAsync<T> = T | Promise<T>

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function asRecord(value: unknown): { readonly [name: string]: unknown } {
  return isRecord(value) ? value : {}
}

/** Undefined if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** For an error message: the value itself may be a secret. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'an array' : typeof value
}

/** Returns the only entry of a list of built-in features; undefined if it is empty. @throws Error if it has several. */
export function atMostOne<T>(list: Readonly<Record<string, T>>): T | undefined {
  const [only, ...others] = Object.values(list)
  if (others.length > 0)
    throw new Error(`only one built-in feature can be there, not ${Object.keys(list).join(' and ')}`)
  return only
}
