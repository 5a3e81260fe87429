export type JsonObject = Readonly<Record<string, unknown>>

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The deepest nesting that is read: deeper JSON could be parsed, but writing it again would overflow the stack. */
export const MAX_DEPTH = 500

/** The JSON of some bytes, or undefined if they are not UTF-8, not JSON, or nested too deeply. */
export function parseJson(bytes: Buffer): unknown {
  try {
    const text = utf8.decode(bytes)
    return nestsTooDeeply(text) ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

const [QUOTE, BACKSLASH] = ['"', '\\'].map((sign) => sign.charCodeAt(0))

/** Counts brackets in the text before it is parsed; a short text cannot nest too deeply and costs nothing. */
function nestsTooDeeply(text: string): boolean {
  if (text.length <= 2 * MAX_DEPTH) return false
  let depth = 0
  let quoted = false
  for (let at = 0; at < text.length; at++) {
    const sign = text.charCodeAt(at)
    if (sign === QUOTE) quoted = !quoted
    else if (quoted) at += sign === BACKSLASH ? 1 : 0
    // `[` and `{` differ in one bit, and so do `]` and `}`: with the bit set, one comparison finds both.
    else if ((sign | 0x20) === 0x7b) depth++
    else if ((sign | 0x20) === 0x7d) depth--
    if (depth > MAX_DEPTH) return true
  }
  return false
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** One thing that is wrong with a body or a query, and where. */
export interface Finding {
  readonly path: readonly PropertyKey[]
  readonly message: string
}

/** The most findings that are reported: a body of a megabyte can have hundreds of thousands. */
export const MAX_FINDINGS = 100

export function describeFindings(findings: readonly Finding[]): string {
  const lines = findings
    .slice(0, MAX_FINDINGS)
    .map(({ path, message }) => (path.length > 0 ? `${path.join('.')}: ${message}` : message))
  const more = findings.length - lines.length
  return [...lines, ...(more > 0 ? [`and ${more} more`] : [])].join('; ')
}
