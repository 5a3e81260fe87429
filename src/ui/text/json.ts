/** Parses a text that may be no JSON; then the result is undefined, which JSON itself cannot express. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The indentation of deeper JSON would be larger than the JSON itself, without a limit. */
const MAX_DEPTH = 50

/** Writes JSON with a line for each member; undefined for a text that is no JSON or nests too deeply. */
export function formatJson(text: string): string | undefined {
  const value = parseJson(text)
  return value === undefined || isDeeper(value, MAX_DEPTH) ? undefined : JSON.stringify(value, null, 2)
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((one) => isDeeper(one, levels - 1))
}
