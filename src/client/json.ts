import { isRecord } from '../base/value.ts'

/** The value that a text says, each string in it as `change` has it, or undefined where it is no JSON. */
export function jsonOf(text: string, change?: (text: string) => string): unknown {
  try {
    if (change === undefined) return JSON.parse(text)
    return JSON.parse(text, (_, value: unknown) => (typeof value === 'string' ? change(value) : value))
  } catch {
    return undefined
  }
}

/** A value's members, whatever it is. */
export function asRecord(value: unknown): { readonly [name: string]: unknown } {
  return isRecord(value) ? value : {}
}
