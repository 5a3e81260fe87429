import { isUtf8 } from 'node:buffer'
import { maskToken } from '../../base/mask.ts'
import { isObject, parseJson } from '../http/body.ts'
import type { HttpRequest, Spoilt } from '../http/messages.ts'
import { namesCodeTemplate } from '../service/validation.ts'
import type { State } from '../state.ts'
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

export function callView(state: State, { id, at, tookMs, request, answer }: Call): CallView {
  const { method, path, query } = request
  return {
    id,
    at: new Date(at).toISOString(),
    tookMs,
    method,
    path: query.size > 0 ? `${path}?${query.toString()}` : path,
    status: answer.status,
    ...(answer.spoilt !== undefined && { spoilt: answer.spoilt }),
    request: { headers: shownHeaders(request), body: mayHoldCode(state, request.body) ? null : textOf(request.body) },
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

/**
 * Whether a one-time code may stand in it: in the components of a template that carries codes, or that nobody
 * knows, and in whatever cannot be read.
 */
function mayHoldCode({ account, templates }: State, body: Buffer): boolean {
  if (body.length === 0) return false
  const json = parseJson(body)
  if (!isObject(json)) return true
  const { type, template_name: name, template_language: language, template_components: components } = json
  if (components === undefined && type !== 'template') return false
  const known = account.numbers.map(({ id }) => templates.of(id))
  if (known.some((all) => namesCodeTemplate(json, all))) return true
  return !known.some((all) => all.find(String(name), String(language)) !== undefined)
}

function textOf(body: Buffer): string | null {
  return isUtf8(body) ? body.toString('utf8') : null
}
