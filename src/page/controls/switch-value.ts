import { parseJson } from '../../ui/text/json.ts'
import type { Switch } from '../wire/types.ts'

type FieldKind = 'choice' | 'number' | 'json'

export function fieldKind({ values, usual }: Switch): FieldKind {
  if (typeof values !== 'string') return 'choice'
  return typeof usual === 'number' ? 'number' : 'json'
}

export function formatValue(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Reads a field's text; undefined if it is no value. A single word needs no quotes: `rotate`. */
export function parseValue(text: string, { values }: Switch): unknown {
  const trimmed = text.trim()
  if (typeof values !== 'string') return values.find((value) => String(value) === trimmed)
  const parsed = parseJson(trimmed)
  if (parsed !== undefined) return parsed
  return /^[a-z]\w*$/i.test(trimmed) ? trimmed : undefined
}

export function isChanged({ usual, current }: Switch): boolean {
  return JSON.stringify(usual) !== JSON.stringify(current)
}
