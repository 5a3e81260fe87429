import { parseJson } from '../../../base/value.ts'

/** The indentation of deeper JSON would be longer than the JSON itself. */
const MAX_DEPTH = 50

export function formatJson(text: string): string | undefined {
  const value = parseJson(text)
  return value === undefined || isDeeper(value, MAX_DEPTH) ? undefined : JSON.stringify(value, null, 2)
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((one) => isDeeper(one, levels - 1))
}
