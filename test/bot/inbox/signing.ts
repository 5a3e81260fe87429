import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'

/** The moment of the vectors, and the default for every delivery here. */
export const SECONDS = 1_763_625_600
export const NOW = SECONDS * 1000
export const SECRET = 'whsec_open_1'
export const ULID = '01HZY3F8Q2V6J9K4M7N0P5R8TB'
export const MESSAGE = Buffer.from('{"from":"255712345678","id":"msg_1","type":"text","text":"Habari"}')

export interface Vector {
  readonly name: string
  readonly secret: string
  readonly timestamp: string
  readonly body: Buffer
  readonly signature: string
  readonly note: string
}

interface Written {
  readonly name: string
  readonly secret: string
  readonly timestamp: string
  readonly body_base64: string | null
  readonly signature: string
  readonly note: string
}

/** Made with openssl, so that our code does not agree with itself alone. */
export const VECTORS: readonly Vector[] = read().map(({ body_base64, ...vector }) => ({
  ...vector,
  body: body_base64 === null ? Buffer.from(`{"t":"${'a'.repeat(1_048_567)}"}`) : Buffer.from(body_base64, 'base64'),
}))

function read(): Written[] {
  const file = new URL('../../vectors/signature.json', import.meta.url)
  return (JSON.parse(readFileSync(file, 'utf8')) as { vectors: Written[] }).vectors
}

export function vector(name: string): Vector {
  const found = VECTORS.find((one) => one.name === name)
  if (!found) throw new Error(`there is no vector ${name}`)
  return found
}

/** SIG-01 written a second time, for the tests; the vectors prove it. */
export function signatureOf(body: Uint8Array, o: { secret?: string; timestamp?: string } = {}): string {
  const { secret = SECRET, timestamp = String(SECONDS) } = o
  return `sha256=${createHmac('sha256', secret).update(`${timestamp}.`, 'latin1').update(body).digest('hex')}`
}

export type SentHeaders = Record<string, string | string[] | undefined>

/** The headers that the service sends with a body, with names as Node gives them. */
export function headersOf(
  body: Uint8Array,
  o: { secret?: string; timestamp?: string | number; event?: string; delivery?: string; prefix?: string } = {},
): Record<string, string> {
  const { secret = SECRET, event = 'message.received', delivery = ULID, prefix = 'x-service-' } = o
  const timestamp = String(o.timestamp ?? SECONDS)
  return {
    'content-type': 'application/json',
    [`${prefix}signature`]: signatureOf(body, { secret, timestamp }),
    [`${prefix}timestamp`]: timestamp,
    [`${prefix}event`]: event,
    [`${prefix}delivery`]: delivery,
  }
}
