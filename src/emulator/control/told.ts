import { parseJson } from '../http/body.ts'
import { type HttpAnswer, type HttpRequest, Refusal } from '../http/messages.ts'
import type { Happenings } from '../stream/happenings.ts'
import { isTellable, toldOf } from './changes.ts'
import { CONTROL_PREFIX } from './prefix.ts'

const PREFIX = `${CONTROL_PREFIX}/`

/** Answers a change through the control API, and says on the stream what it was and how it was answered; never with what. */
export async function told(
  happenings: Happenings,
  { method, path, body }: HttpRequest,
  answer: () => Promise<HttpAnswer>,
): Promise<HttpAnswer> {
  const route = path.slice(PREFIX.length)
  try {
    const answered = await answer()
    tellChange(happenings, { method, route, status: answered.status }, isTellable(route) ? parseJson(body) : undefined)
    return answered
  } catch (error) {
    if (error instanceof Refusal)
      happenings.tell('control', { method, path, status: error.status, code: error.code ?? null })
    throw error
  }
}

interface Change {
  readonly method: string
  /** Under the control API's prefix: `faults`. */
  readonly route: string
  readonly status: number
}

export function tellChange(happenings: Happenings, { method, route, status }: Change, given: unknown): void {
  const change = toldOf(route, given)
  happenings.tell('control', { method, path: PREFIX + route, status, ...(change !== undefined && { change }) })
}
