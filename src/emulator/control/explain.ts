import { z } from 'zod'
import type { HttpRequest } from '../http/messages.ts'
import { firstNumber } from '../service/account.ts'
import { explain, type Explanation } from '../service/explain.ts'
import type { State } from '../state.ts'
import { readControl } from './request.ts'

export const questionSchema = z.strictObject({
  /** The body of the send. */
  send: z.record(z.string(), z.unknown()),
  /** Default: the first number's. */
  accessToken: z.string().optional(),
  phoneNumberId: z.string().optional(),
  idempotencyKey: z.string().min(1).optional(),
})

/** Would this send be accepted now? The service has no dry run; this is one. */
export function explainSend(state: State, request: HttpRequest): Explanation {
  return explainQuestion(state, readControl(request, questionSchema))
}

export function explainQuestion(state: State, question: z.output<typeof questionSchema>): Explanation {
  return explain(state, { ...question, accessToken: question.accessToken ?? firstNumber(state.account).token })
}
