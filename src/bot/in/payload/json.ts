import { isRecord, parseJson } from '../../../base/value.ts'
import type { PayloadAlarm } from './facts.ts'

export type JsonObject = { readonly [member: string]: unknown }

/** Parses a body into its JSON object, or returns why it is refused (`not_json`, `not_an_object`, `too_deep`). */
export function parseBody(bytes: Uint8Array): { json: JsonObject } | { refused: PayloadAlarm } {
  const text = decode(bytes)
  return text === undefined ? { refused: { code: 'not_json' } } : parseText(text)
}

export function parseText(text: string): { json: JsonObject } | { refused: PayloadAlarm } {
  if (isTooDeep(text)) return { refused: { code: 'too_deep' } }
  const json = parseJson(text)
  if (json === undefined) return { refused: { code: 'not_json' } }
  return isRecord(json) ? { json } : { refused: { code: 'not_an_object' } }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Decodes a body and drops its byte order mark; undefined if the bytes are not UTF-8. */
export function decode(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes)
  } catch {
    return undefined
  }
}

/** Like `parseJson`, but an integer too large for a number keeps its digits, as a string. */
export function parseExactly(text: string): unknown {
  try {
    return JSON.parse(text, keepDigits)
  } catch {
    return undefined
  }
}

const INTEGER = /^-?\d+$/

function keepDigits(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value
  return context?.source !== undefined && INTEGER.test(context.source) ? context.source : value
}

const MAX_DEPTH = 200

/** True if brackets nest so deep that code which walks the JSON by recursion could overflow the stack. */
function isTooDeep(text: string): boolean {
  if (text.length <= 2 * MAX_DEPTH || !hasManyBrackets(text)) return false
  let depth = 0
  let quoted = false
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i)
    if (quoted) {
      if (char === BACKSLASH) i++
      else if (char === QUOTE) quoted = false
    } else if (char === QUOTE) quoted = true
    else if (char === BRACE || char === BRACKET) {
      if (++depth > MAX_DEPTH) return true
    } else if (char === BRACE + 2 || char === BRACKET + 2) depth--
  }
  return false
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const BRACKET = 0x5b
const BRACE = 0x7b

// Nearly every payload ends here: `indexOf` is far cheaper than checking each character.
function hasManyBrackets(text: string): boolean {
  let count = 0
  for (const bracket of ['{', '['])
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1))
      if (++count > MAX_DEPTH) return true
  return false
}
