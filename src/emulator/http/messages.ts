import type { IncomingHttpHeaders } from 'node:http'

/** Says of every answer and every delivery that no service stands behind it (GEN-12). */
export const EMULATOR_HEADER = { 'X-Emulator': 'switchhook' } as const

/** A request as the rules see it: nothing of sockets and streams. */
export interface HttpRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  /** Of the call of the API that it is, where calls are recorded. */
  readonly call?: string
}

export interface HttpAnswer {
  readonly status: number
  /** JSON text, exactly as it goes out. */
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
  /** What becomes of it on the way: `cut` and `reset` instead of it, `half` of its body, or `never` anything. */
  readonly spoilt?: Spoilt
  /** Goes on after the head, in place of the body, until the other side leaves; what it answers ends it then. */
  readonly stream?: (write: (text: string) => void) => () => void
}

export type Spoilt = 'cut' | 'reset' | 'half' | 'never'

export function ok(body: unknown): HttpAnswer {
  return { status: 200, body: JSON.stringify(body) }
}

/** A request that is answered with an error. Thrown by the rules, written by the server. */
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
