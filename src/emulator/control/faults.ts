import { z } from 'zod'
import { MAGIC_RECIPIENTS } from '../faults/magic.ts'
import { type FaultRule, faultRuleSchema } from '../faults/rule.ts'
import type { HttpRequest } from '../http/messages.ts'
import type { State } from '../state.ts'
import { readControl } from './request.ts'

export const faultRulesSchema = z.strictObject({ rules: z.array(faultRuleSchema) })

export type FaultsView = {
  readonly rules: readonly FaultRule[]
  /** Recipients to whom the same always happens, whatever is armed. */
  readonly recipients: readonly { readonly to: string; readonly does: string }[]
}

/** What is armed, with what is left of it. */
export function showFaults(state: State): FaultsView {
  return {
    rules: state.faults.list(),
    recipients: [...MAGIC_RECIPIENTS.values()].map(({ to, does }) => ({ to, does })),
  }
}

/** Replaces all rules; an empty list disarms. */
export function changeFaults(state: State, request: HttpRequest): FaultsView {
  state.faults.set(readControl(request, faultRulesSchema).rules)
  return showFaults(state)
}
