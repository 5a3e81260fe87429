import { type HttpAnswer, type HttpRequest, Refusal } from '../http/messages.ts'
import type { Happenings } from '../stream/happenings.ts'

/** Answers a change through the control API, and says on the stream how it was answered; never with what. */
export async function told(
  happenings: Happenings,
  { method, path }: HttpRequest,
  answer: () => Promise<HttpAnswer>,
): Promise<HttpAnswer> {
  try {
    const answered = await answer()
    happenings.tell('control', { method, path, status: answered.status })
    return answered
  } catch (error) {
    if (error instanceof Refusal)
      happenings.tell('control', { method, path, status: error.status, code: error.code ?? null })
    throw error
  }
}
