import type { IncomingMessage } from 'node:http'
import { refuse } from './messages.ts'

/** The largest body that is kept; the specification gives no limit, and no send comes near it. */
export const BODY_LIMIT_BYTES = 1_048_576
/** A snapshot of a long day is larger than any send. */
export const SNAPSHOT_LIMIT_BYTES = 128 * BODY_LIMIT_BYTES
/** A body over the limit is read on and thrown away, so that the sender can read the answer; up to this. */
const DRAIN_LIMIT_BYTES = 16 * BODY_LIMIT_BYTES

export async function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length <= limit) chunks.push(chunk)
    else chunks.length = 0
    if (length > Math.max(limit, DRAIN_LIMIT_BYTES)) break
  }
  if (length <= limit) return Buffer.concat(chunks)
  throw refuse(413, 'too_large', `The body has more than ${limit} bytes.`, { Connection: 'close' })
}

export type JsonObject = Readonly<Record<string, unknown>>

/** The JSON of some bytes, or undefined where they are no UTF-8 or no JSON. */
export function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes))
  } catch {
    return undefined
  }
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
