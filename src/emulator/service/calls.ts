import { isUtf8 } from 'node:buffer'
import { maskToken } from '../../base/mask.ts'
import type { HttpAnswer, HttpRequest } from '../http/messages.ts'
import { iso } from '../model/clock.ts'

export interface Call {
  readonly id: string
  /** Milliseconds since the epoch, by the emulator's clock. */
  readonly at: number
  readonly tookMs: number
  /** Without its body if the body is redacted. */
  readonly request: HttpRequest
  /** The body may hold a one-time code, and is therefore not kept (OTP-06). */
  readonly redacted: boolean
  readonly answer: HttpAnswer
}

/** The latest calls of the API, in memory alone. */
export type Calls = ReturnType<typeof createCalls>

const MAX_CALLS = 5_000
/** The most bytes of bodies that are kept, whatever the number of calls. */
const MAX_BYTES = 32 * 1_048_576

export function createCalls() {
  const calls = new Map<string, Call>()
  let bytes = 0
  const dropOldest = () => {
    const [oldest] = calls.values()
    if (oldest === undefined) return
    calls.delete(oldest.id)
    bytes -= sizeOf(oldest)
  }
  return {
    add(call: Call): void {
      calls.set(call.id, call)
      bytes += sizeOf(call)
      while (calls.size > MAX_CALLS || (bytes > MAX_BYTES && calls.size > 1)) dropOldest()
    },
    byId: (id: string) => calls.get(id),
  }
}

function sizeOf({ request, answer }: Call): number {
  return request.body.length + answer.body.length
}

/** A call as the control API shows it: the token is masked, and no body that may hold a one-time code is there (OTP-06). */
export type CallView = ReturnType<typeof callView>

export function callView({ id, at, tookMs, request, redacted, answer }: Call) {
  const { method, path, query } = request
  return {
    id,
    at: iso(at),
    tookMs,
    method,
    path: query.size > 0 ? `${path}?${query.toString()}` : path,
    status: answer.status,
    // A fault spoilt the answer on its way.
    ...(answer.spoilt !== undefined && { spoilt: answer.spoilt }),
    request: { headers: redactHeaders(request), body: redacted ? null : textOf(request.body) },
    response: { headers: answer.headers ?? {}, body: answer.body },
  }
}

function redactHeaders({ headers }: HttpRequest): Record<string, string> {
  const texts = Object.entries(headers).map(([name, value]) => [name, String(value)] as const)
  return Object.fromEntries(texts.map(([name, text]) => [name, name === 'authorization' ? maskHeader(text) : text]))
}

function maskHeader(authorization: string): string {
  const [scheme = '', ...rest] = authorization.split(' ')
  return rest.length > 0 ? `${scheme} ${maskToken(rest.join(' '))}` : maskToken(authorization)
}

function textOf(body: Buffer): string | null {
  return isUtf8(body) ? body.toString('utf8') : null
}
