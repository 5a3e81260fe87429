import { hash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

export const LONGEST_FILE_BYTES = 5_242_880

/** The header of every answer and delivery, which shows that no real service sent it (GEN-12). */
export const EMULATOR_HEADER = { 'X-Emulator': 'switchhook' } as const

export interface HttpRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  readonly call?: string
}

export interface HttpAnswer {
  readonly status: number
  /** JSON text, sent unchanged. */
  readonly body: string
  readonly bytes?: Buffer
  readonly headers?: Readonly<Record<string, string>>
  /** In place of the answer, `cut` ends the connection, and `never` sends nothing. */
  readonly spoilt?: 'cut' | 'never'
  /** Writes the body while the client reads it. Returns a function that is called when the client leaves. */
  readonly stream?: (write: (text: string) => void) => () => void
}

export function ok(body: unknown): HttpAnswer {
  return { status: 200, body: JSON.stringify(body) }
}

export class Refusal extends Error {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, body: Readonly<Record<string, unknown>>, headers: Readonly<Record<string, string>> = {}) {
    super(typeof body['message'] === 'string' ? body['message'] : `refused with ${status}`)
    this.name = 'Refusal'
    this.status = status
    this.body = body
    this.headers = headers
  }

  get code(): string | undefined {
    return typeof this.body['code'] === 'string' ? this.body['code'] : undefined
  }
}

export function refuse(status: number, code: string, message: string, headers?: Record<string, string>): Refusal {
  return new Refusal(status, { code, message }, headers)
}

/** True if an Authorization header has this bearer token. The duration does not reveal how much of a token is right. */
export function carriesToken(authorization: string | undefined, token: string): boolean {
  const given = /^Bearer +(\S+)$/i.exec(authorization?.trim() ?? '')?.[1]
  return given !== undefined && timingSafeEqual(digest(given), digest(token))
}

function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer')
}

export type JsonObject = Readonly<Record<string, unknown>>

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch {
    return undefined
  }
}

export interface Finding {
  readonly path: readonly PropertyKey[]
  readonly message: string
}

export function describeFindings(findings: readonly Finding[]): string {
  return findings.map(({ path, message }) => (path.length > 0 ? `${path.join('.')}: ${message}` : message)).join('; ')
}
