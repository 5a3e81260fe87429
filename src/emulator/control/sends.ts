import { z } from 'zod'
import { refuse } from '../http/messages.ts'
import { firstNumber } from '../model/account.ts'
import { type FaultRule, MAGIC_RECIPIENTS, faultRuleSchema } from '../model/faults.ts'
import { type CallView, callView } from '../service/api.ts'
import { type Explanation, explain } from '../service/explain.ts'
import type { State } from '../world.ts'

export const questionSchema = z.strictObject({
  send: z.record(z.string(), z.unknown()),
  /** Default: the first number's. */
  accessToken: z.string().optional(),
  phoneNumberId: z.string().optional(),
  idempotencyKey: z.string().min(1).optional(),
})

/** Tells whether a send would be accepted now: the dry run that the service does not have. */
export function explainSend(state: State, question: z.output<typeof questionSchema>): Explanation {
  return explain(state, { ...question, accessToken: question.accessToken ?? firstNumber(state.account).token })
}

export const faultRulesSchema = z.strictObject({ rules: z.array(faultRuleSchema) })

export type FaultsView = {
  readonly rules: readonly FaultRule[]
  /** Recipients to whom the same always happens, whatever is armed. */
  readonly recipients: readonly { readonly to: string; readonly does: string }[]
}

/** The armed rules, with the charges that they have left. */
export function showFaults(state: State): FaultsView {
  return {
    rules: state.faults.list(),
    recipients: [...MAGIC_RECIPIENTS.values()].map(({ to, does }) => ({ to, does })),
  }
}

/** Replaces all rules; an empty list disarms. */
export function changeFaults(state: State, { rules }: z.output<typeof faultRulesSchema>): FaultsView {
  state.faults.set(rules)
  return showFaults(state)
}

/** One idempotency key, or all that the service remembers. */
export const keySchema = z.strictObject({ key: z.string().min(1).optional() })

export function showCall(state: State, id: string): CallView {
  const call = state.calls.byId(id)
  if (call === undefined)
    throw refuse(404, 'not_found', `There is no call ${id}: the latest are kept, until a reset or the end of the run.`)
  return callView(call)
}
