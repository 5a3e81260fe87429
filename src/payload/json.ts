/** An object as JSON gives it; its members are data, whatever their names. */
export type JsonObject = { readonly [member: string]: unknown }

/** Turns text into JSON, or into `undefined` where it is none. */
export type Parse = (text: string) => unknown

export const parseJson: Parse = (text) => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Like `parseJson`, but an integer too large for a number keeps its digits, as a string. */
export const parseExactly: Parse = (text) => {
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

const DEEPEST = 200

/** Whether brackets nest deeper than any honest payload's: what walks it by recursion later must be safe. */
export function isTooDeep(text: string): boolean {
  if (text.length <= 2 * DEEPEST || !hasManyBrackets(text)) return false
  let depth = 0
  let quoted = false
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i)
    if (quoted) {
      if (char === BACKSLASH) i++
      else if (char === QUOTE) quoted = false
    } else if (char === QUOTE) quoted = true
    else if (char === BRACE || char === BRACKET) {
      if (++depth > DEEPEST) return true
    } else if (char === BRACE + 2 || char === BRACKET + 2) depth--
  }
  return false
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const BRACKET = 0x5b
const BRACE = 0x7b

// Nearly every payload ends here: searching for a character is far cheaper than looking at each.
function hasManyBrackets(text: string): boolean {
  let count = 0
  for (const bracket of ['{', '['])
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) if (++count > DEEPEST) return true
  return false
}
