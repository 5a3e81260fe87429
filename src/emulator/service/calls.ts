import { isUtf8 } from 'node:buffer'
import { maskToken } from '../../base/mask.ts'
import type { HttpAnswer, HttpRequest, Spoilt } from '../http/messages.ts'

/** A call of the API, as it went over the wire. */
export interface Call {
  readonly id: string
  /** Milliseconds since the epoch, by the emulator's clock. */
  readonly at: number
  readonly tookMs: number
  /** Without its body where that is withheld. */
  readonly request: HttpRequest
  /** Whether a one-time code may stand in the body: then it is not kept (OTP-06). */
  readonly withheld: boolean
  readonly answer: HttpAnswer
}

/** The latest calls of the API, in memory alone. */
export interface Calls {
  add(call: Call): void
  byId(id: string): Call | undefined
}

/** So many are kept, and no more than so many bytes of their bodies. */
const KEPT = 5_000
const KEPT_BYTES = 32 * 1_048_576

export function createCalls(): Calls {
  const calls = new Map<string, Call>()
  let bytes = 0
  const dropOldest = () => {
    const [oldest] = calls.values()
    if (oldest === undefined) return
    calls.delete(oldest.id)
    bytes -= sizeOf(oldest)
  }
  return {
    add(call) {
      calls.set(call.id, call)
      bytes += sizeOf(call)
      while (calls.size > KEPT || (bytes > KEPT_BYTES && calls.size > 1)) dropOldest()
    },
    byId: (id) => calls.get(id),
  }
}

function sizeOf({ request, answer }: Call): number {
  return request.body.length + answer.body.length
}

/** A call as it is shown: its token masked, and nothing in it that may be a one-time code (OTP-06). */
export type CallView = {
  readonly id: string
  readonly at: string
  readonly tookMs: number
  readonly method: string
  readonly path: string
  readonly status: number
  /** What became of the answer on its way, as a fault demanded. */
  readonly spoilt?: Spoilt
  readonly request: {
    readonly headers: Readonly<Record<string, string>>
    /** Null where it is withheld. */
    readonly body: string | null
  }
  readonly response: { readonly headers: Readonly<Record<string, string>>; readonly body: string }
}

export function callView({ id, at, tookMs, request, withheld, answer }: Call): CallView {
  const { method, path, query } = request
  return {
    id,
    at: new Date(at).toISOString(),
    tookMs,
    method,
    path: query.size > 0 ? `${path}?${query.toString()}` : path,
    status: answer.status,
    ...(answer.spoilt !== undefined && { spoilt: answer.spoilt }),
    request: { headers: shownHeaders(request), body: withheld ? null : textOf(request.body) },
    response: { headers: answer.headers ?? {}, body: answer.body },
  }
}

function shownHeaders({ headers }: HttpRequest): Record<string, string> {
  const shown = Object.entries(headers).map(([name, value]) => [name, String(value)] as const)
  return Object.fromEntries(shown.map(([name, value]) => [name, name === 'authorization' ? masked(value) : value]))
}

function masked(authorization: string): string {
  const [scheme = '', ...rest] = authorization.split(' ')
  return rest.length > 0 ? `${scheme} ${maskToken(rest.join(' '))}` : maskToken(authorization)
}

function textOf(body: Buffer): string | null {
  return isUtf8(body) ? body.toString('utf8') : null
}
