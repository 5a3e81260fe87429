import { z } from 'zod'
import { LIMITS } from '../../contract/index.ts'
import { escalate, replyAs } from '../actors/agent.ts'
import { type HttpRequest, refuse } from '../http/messages.ts'
import { type AgentSettings, agentSettingsSchema } from '../model/agent.ts'
import { iso } from '../model/clock.ts'
import { isWindowOpen } from '../service/approve.ts'
import type { State } from '../state.ts'
import { recipient } from './customers.ts'
import { numberByIdOrFirst, readControl } from './request.ts'

const replySchema = z.strictObject({ text: z.string().min(1).max(LIMITS.text.max), number: z.string().optional() })

/** A person answers in the dashboard's inbox: that pauses the agent as a send does (GEN-06). */
export function replyFromDashboard(state: State, request: HttpRequest, digits: string): { messageId: string } {
  const customer = recipient(digits)
  const { text, number: id } = readControl(request, replySchema)
  const number = numberByIdOrFirst(state.account, id)
  if (!isWindowOpen(state.phones.lastInboundAt(customer, number.id), state.clock.now(), state.assumptions))
    throw refuse(409, 'outside_messaging_window', 'The customer has not written within the last 24 hours.')
  const messageId = replyAs('dashboard', state, number, customer, text)
  state.agent.pause(number, customer)
  return { messageId }
}

const escalationSchema = z.strictObject({ reason: z.string().min(1).optional(), number: z.string().optional() })

/** The conversation is handed to a person. */
export function escalateByHand(state: State, request: HttpRequest, digits: string): { deliveryIds: string[] } {
  const customer = recipient(digits)
  const { reason = 'Somebody in the dashboard took over.', number } = readControl(request, escalationSchema)
  return { deliveryIds: escalate(state, numberByIdOrFirst(state.account, number), customer, reason) }
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

export function changeAgent(state: State, request: HttpRequest): AgentView {
  return setAgent(state, readControl(request, agentChangeSchema))
}

/** Changes the given settings of the agent; the others stay as they are. */
export function setAgent(state: State, change: z.output<typeof agentChangeSchema>): AgentView {
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
  state.agent.settings = { ...state.agent.settings, ...given }
  return showAgent(state)
}
