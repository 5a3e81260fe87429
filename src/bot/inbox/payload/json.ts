import { isRecord, parseJson } from '../../../base/value.ts'
import type { PayloadAlarm } from './facts.ts'

export type JsonObject = { readonly [member: string]: unknown }

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Parses a body into its JSON object, or returns why it is refused. `text`: without its byte order mark. */
export function parseBody(bytes: Uint8Array): { json: JsonObject; text: string } | { refused: PayloadAlarm } {
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    return { refused: { code: 'not_json' } }
  }
  const excess = excessOf(text)
  if (excess) return { refused: { code: excess } }
  const json = parseJson(text)
  if (json === undefined) return { refused: { code: 'not_json' } }
  return isRecord(json) ? { json, text } : { refused: { code: 'not_an_object' } }
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
/** The most members of one object or one list. An object with more is slow to parse, and to search. */
const MOST_MEMBERS = 20_000

/** Deep brackets could overflow the stack of code that recurs. Large objects and lists would block the event loop. */
function excessOf(text: string): 'too_deep' | 'too_many_members' | undefined {
  if (text.length <= 2 * MAX_DEPTH || (!occurs('{[', MAX_DEPTH, text) && !occurs(',', MOST_MEMBERS - 1, text)))
    return undefined
  const members = [1]
  let quoted = false
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i)
    if (quoted) {
      if (char === BACKSLASH) i++
      else if (char === QUOTE) quoted = false
    } else if (char === QUOTE) quoted = true
    else if (char === COMMA) {
      const count = (members.at(-1) ?? 0) + 1
      if (count > MOST_MEMBERS) return 'too_many_members'
      members[members.length - 1] = count
    } else if (char === BRACE || char === BRACKET) {
      if (members.push(1) > MAX_DEPTH + 1) return 'too_deep'
    } else if (char === BRACE + 2 || char === BRACKET + 2) members.pop()
  }
  return undefined
}

const QUOTE = 0x22
const COMMA = 0x2c
const BACKSLASH = 0x5c
const BRACKET = 0x5b
const BRACE = 0x7b

// Much cheaper than to check each character, and enough for nearly every payload.
function occurs(characters: string, times: number, text: string): boolean {
  let count = 0
  for (const each of characters)
    for (let at = text.indexOf(each); at >= 0; at = text.indexOf(each, at + 1)) if (++count > times) return true
  return false
}
