import { isUtf8 } from 'node:buffer'
import { maskToken } from '../../base/mask.ts'
import type { HttpRequest, Spoilt } from '../http/messages.ts'
import type { Call } from './call.ts'

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
