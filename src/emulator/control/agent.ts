import type { z } from 'zod'
import { type AgentSettings, agentSettingsSchema } from '../agent/agent.ts'
import { iso } from '../events/event.ts'
import type { HttpRequest } from '../http/messages.ts'
import type { State } from '../state.ts'
import { readControl } from './request.ts'

export type AgentView = AgentSettings & {
  /** The customers for whom it is silent now. */
  readonly paused: readonly { readonly number: string; readonly customer: string; readonly until: string }[]
}

export const agentChangeSchema = agentSettingsSchema.partial()

export function showAgent({ agent }: State): AgentView {
  return {
    ...structuredClone(agent.settings),
    paused: agent.pauses().map(({ number, customer, until }) => ({ number, customer, until: iso(until) })),
  }
}

/** Changes some of the agent's settings; the others stay as they are. */
export function changeAgent(state: State, request: HttpRequest): AgentView {
  return setAgent(state, readControl(request, agentChangeSchema))
}

export function setAgent(state: State, change: z.output<typeof agentChangeSchema>): AgentView {
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
  state.agent.settings = { ...state.agent.settings, ...given }
  return showAgent(state)
}
