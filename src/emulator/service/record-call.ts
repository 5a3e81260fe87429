import { RECIPIENT_FORM } from '../../contract/limits.ts'
import { isObject, parseJson } from '../http/json.ts'
import { type HttpAnswer, type HttpRequest, Refusal } from '../http/messages.ts'
import { answerTo } from '../http/server.ts'
import type { State } from '../state.ts'
import type { World } from '../world.ts'
import { namesCodeTemplate } from './validation.ts'

/** Answers a call of the API and keeps it for those who look; on the stream it says how it was answered. */
export async function recorded(
  world: World,
  request: HttpRequest,
  answer: (request: HttpRequest) => Promise<HttpAnswer>,
): Promise<HttpAnswer> {
  const { state } = world
  const [id, startedAt] = [state.ids.call(), state.clock.wall()]
  const json = request.body.length > 0 ? parseJson(request.body) : undefined
  const withheld = mayHoldCode(state, request.body, json)
  const keep = (answered: HttpAnswer, code: string | null) => {
    const { method, path } = request
    const [at, tookMs] = [state.clock.now(), state.clock.wall() - startedAt]
    const kept = withheld ? { ...request, body: Buffer.alloc(0) } : request
    state.calls.add({ id, at, tookMs, request: kept, withheld, answer: answered })
    const { status, spoilt } = answered
    const about = { call: id, method, path, status, code, tookMs, customer: customerOf(json) }
    state.tell('api', { ...about, ...(spoilt !== undefined && { spoilt }) })
  }
  try {
    const answered = await answer({ ...request, call: id })
    keep(answered, null)
    return answered
  } catch (error) {
    if (error instanceof Refusal) keep(answerTo(error), error.code ?? null)
    throw error
  }
}

function customerOf(json: unknown): string | null {
  const to = isObject(json) ? json['to'] : undefined
  return typeof to === 'string' && RECIPIENT_FORM.test(to) ? to : null
}

/**
 * Whether a one-time code may stand in a body: in the components of a template that carries codes, or that nobody
 * knows, and in whatever cannot be read. Asked as the call comes in: templates and numbers change later.
 */
export function mayHoldCode({ account, templates }: State, body: Buffer, json: unknown): boolean {
  if (body.length === 0) return false
  if (!isObject(json)) return true
  const { type, template_name: name, template_language: language, template_components: components } = json
  if (components === undefined && type !== 'template') return false
  const known = account.numbers.map(({ id }) => templates.of(id))
  if (known.some((all) => namesCodeTemplate(json, all))) return true
  if (typeof name !== 'string' || typeof language !== 'string') return true
  return !known.some((all) => all.find(name, language) !== undefined)
}
