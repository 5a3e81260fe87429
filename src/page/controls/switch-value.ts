import type { Switch } from '../wire/types.ts'

/** How a switch is set: from a list, by a number, or as JSON. */
export type Kind = 'choice' | 'number' | 'json'

export function kindOf({ values, usual }: Switch): Kind {
  if (typeof values !== 'string') return 'choice'
  return typeof usual === 'number' ? 'number' : 'json'
}

/** As it stands in its field. */
export function writtenValue(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** What a field means; undefined where it means nothing. A bare word is one: `rotate`. */
export function readValue(text: string, it: Switch): unknown {
  const given = text.trim()
  if (typeof it.values !== 'string') return it.values.find((value) => String(value) === given)
  try {
    return JSON.parse(given) as unknown
  } catch {
    return /^[a-z]\w*$/i.test(given) ? given : undefined
  }
}

export function isChanged({ usual, current }: Switch): boolean {
  return JSON.stringify(usual) !== JSON.stringify(current)
}
