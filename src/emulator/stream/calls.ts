import { type HttpAnswer, type HttpRequest, Refusal } from '../http/messages.ts'
import type { Happenings } from './happenings.ts'

/** Answers a call, and says on the stream how it was answered: never with what, since a body may hold a code. */
export async function tellCall(
  kind: 'api' | 'control',
  happenings: Happenings,
  { method, path }: HttpRequest,
  answer: () => Promise<HttpAnswer>,
): Promise<HttpAnswer> {
  const tell = (status: number, about: object = {}) => happenings.tell(kind, { method, path, status, ...about })
  try {
    const answered = await answer()
    tell(answered.status, answered.spoilt === undefined ? {} : { spoilt: answered.spoilt })
    return answered
  } catch (error) {
    if (error instanceof Refusal) tell(error.status, { code: error.code ?? null })
    throw error
  }
}
