import { z } from 'zod'
import { LIMITS } from '../../contract/index.ts'
import { escalate, replyAs } from '../actors/agent.ts'
import { refuse } from '../http/messages.ts'
import { type AgentSettings, agentSettingsSchema } from '../model/agent.ts'
import { iso } from '../model/clock.ts'
import { isWindowOpen } from '../service/approve.ts'
import type { State } from '../world.ts'
import { recipient } from './customers.ts'
import { numberByIdOrFirst } from './request.ts'

export const replySchema = z.strictObject({
  text: z.string().min(1).max(LIMITS.text.max),
  number: z.string().optional(),
})

/** A person answers in the dashboard's inbox: that pauses the agent as a send does (GEN-06). */
export function replyFromDashboard(
  state: State,
  { text, number: id }: z.output<typeof replySchema>,
  digits: string,
): { messageId: string } {
  const customer = recipient(digits)
  const number = numberByIdOrFirst(state.account, id)
  if (!isWindowOpen(state.phones.lastInboundAt(customer, number.id), state.clock.now(), state.assumptions))
    throw refuse(409, 'outside_messaging_window', 'The customer has not written within the last 24 hours.')
  const messageId = replyAs('dashboard', state, number, customer, text)
  state.agent.pause(number, customer)
  return { messageId }
}

export const escalationSchema = z.strictObject({ reason: z.string().min(1).optional(), number: z.string().optional() })

export function escalateByHand(
  state: State,
  { reason = 'Somebody in the dashboard took over.', number }: z.output<typeof escalationSchema>,
  digits: string,
): { deliveryIds: string[] } {
  return { deliveryIds: escalate(state, numberByIdOrFirst(state.account, number), recipient(digits), reason) }
}

export type AgentView = AgentSettings & {
  /** The customers for whom the agent is silent now. */
  readonly paused: readonly { readonly number: string; readonly customer: string; readonly until: string }[]
}

export const agentChangeSchema = agentSettingsSchema.partial()

export function showAgent({ agent }: State): AgentView {
  return {
    ...structuredClone(agent.settings),
    paused: agent.pauses().map(({ number, customer, until }) => ({ number, customer, until: iso(until) })),
  }
}

/** Changes the given settings of the agent; the others stay as they are. */
export function changeAgent(state: State, change: z.output<typeof agentChangeSchema>): AgentView {
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
  state.agent.settings = { ...state.agent.settings, ...given }
  return showAgent(state)
}
