import { z } from 'zod'
import type { ConnectedNumber } from './account.ts'
import { iso } from './emulated-clock.ts'

export const agentSettingsSchema = z.strictObject({
  /** True if the number has an agent. Without one, only the app answers. */
  on: z.boolean(),
  /** True if the agent answers before the event of the customer's message goes out, as the real one can (GEN-13). */
  answersFirst: z.boolean(),
})

export type AgentSettings = z.infer<typeof agentSettingsSchema>

export const AGENT_SAYS = 'This is the AI agent of the emulator.'

/** The delay of an agent that does not answer first. If the app sends meanwhile, the agent stays silent. */
export const AGENT_DELAY_MS = 500

export interface Pause {
  readonly number: string
  readonly customer: string
  /** Milliseconds since the epoch, by the emulator's clock. */
  readonly until: number
}

export type AgentChange = {
  readonly number: string
  readonly customer: string
  readonly state: 'paused' | 'active'
  readonly pausedUntil: string | null
  /** Whether the agent is on. A pause can begin while it is off. */
  readonly on: boolean
}

/** The agent is paused for each customer separately (GEN-06). */
export function createAgent(now: () => number, changed: (change: AgentChange) => void) {
  const keyOf = (number: string, customer: string) => `${number}/${customer}`
  const all = new Map<string, Pause>()
  const pauses = (): readonly Pause[] => {
    for (const [key, { until }] of all) if (until <= now()) all.delete(key)
    return [...all.values()]
  }
  const agent = {
    settings: { on: false, answersFirst: false } as AgentSettings,
    pause({ id: number, agentPauseMs }: ConnectedNumber, customer: string): void {
      if (agentPauseMs === null) return
      const until = now() + agentPauseMs
      all.set(keyOf(number, customer), { number, customer, until })
      changed({ number, customer, state: 'paused', pausedUntil: iso(until), on: agent.settings.on })
    },
    resume({ id: number }: ConnectedNumber, customer: string): void {
      all.delete(keyOf(number, customer))
      changed({ number, customer, state: 'active', pausedUntil: null, on: agent.settings.on })
    },
    isPaused: ({ id }: ConnectedNumber, customer: string): boolean =>
      (all.get(keyOf(id, customer))?.until ?? 0) > now(),
    pauses,
  }
  return agent
}
