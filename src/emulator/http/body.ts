import type { IncomingMessage } from 'node:http'
import { refuse } from './messages.ts'

/** The largest body that is kept; the specification gives no limit, and no send comes near it. */
export const BODY_LIMIT_BYTES = 1_048_576
/** A snapshot of a long day is larger than any send. */
export const SNAPSHOT_LIMIT_BYTES = 128 * BODY_LIMIT_BYTES
/** A body over the limit is read on and thrown away, so that the sender can read the answer; up to this. */
const DRAIN_LIMIT_BYTES = 16 * BODY_LIMIT_BYTES

/** By listeners, since iterating over a request costs as much as the rest of a small answer. */
export function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    const tooLarge = () =>
      reject(refuse(413, 'too_large', `The body has more than ${limit} bytes.`, { Connection: 'close' }))
    request.on('error', reject)
    request.on('end', () => (length <= limit ? resolve(Buffer.concat(chunks)) : tooLarge()))
    request.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length <= limit) chunks.push(chunk)
      else chunks.length = 0
      if (length <= Math.max(limit, DRAIN_LIMIT_BYTES)) return
      request.destroy()
      tooLarge()
    })
  })
}

export type JsonObject = Readonly<Record<string, unknown>>

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Nobody nests deeper but to break a reader: what is to be written again would run out of stack. */
export const DEEPEST = 500

/** The JSON of some bytes, or undefined where they are no UTF-8, no JSON, or nested too deeply. */
export function parseJson(bytes: Buffer): unknown {
  try {
    const text = utf8.decode(bytes)
    return nestsTooDeeply(text) ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

const [QUOTE, BACKSLASH] = ['"', '\\'].map((sign) => sign.charCodeAt(0))

/** Told from the text, since it costs nothing where that is short. */
function nestsTooDeeply(text: string): boolean {
  if (text.length <= 2 * DEEPEST) return false
  let depth = 0
  let quoted = false
  for (let at = 0; at < text.length; at++) {
    const sign = text.charCodeAt(at)
    if (sign === QUOTE) quoted = !quoted
    else if (quoted) at += sign === BACKSLASH ? 1 : 0
    // `[` and `{`, `]` and `}`: each two differ in this bit alone.
    else if ((sign | 0x20) === 0x7b) depth++
    else if ((sign | 0x20) === 0x7d) depth--
    if (depth > DEEPEST) return true
  }
  return false
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
