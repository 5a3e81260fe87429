import { z } from 'zod'
import { LIMITS } from '../../contract/index.ts'
import { moment } from './clock.ts'

/** How the emulator's stub of the service's AI agent behaves. */
export const agentSettingsSchema = z.strictObject({
  /** Whether the number has an agent at all; without one nobody answers but the app. */
  on: z.boolean(),
  /** Whether it answers before the event of the customer's message goes out, as the real one can (GEN-13). */
  answersFirst: z.boolean(),
  /** How long it thinks where it does not answer first, in milliseconds; a send of the app's meanwhile silences it. */
  answersAfterMs: z
    .number()
    .min(0)
    .max(2 ** 31 - 1),
  says: z.string().min(1).max(LIMITS.text.max),
  /** A customer who writes one of these is handed to a person; compared without case. */
  handsOverOn: z.array(z.string().min(1)),
})

export type AgentSettings = z.infer<typeof agentSettingsSchema>

const USUAL: AgentSettings = {
  on: false,
  answersFirst: false,
  answersAfterMs: 500,
  says: 'This is the AI agent of the emulator.',
  handsOverOn: ['human', 'mtu'],
}

/** The agent is silent for this customer. */
const pauseSchema = z.strictObject({
  number: z.string(),
  customer: z.string(),
  /** Milliseconds since the epoch, by the emulator's clock. */
  until: moment,
})

export type Pause = z.infer<typeof pauseSchema>

export const savedAgentSchema = z.strictObject({ settings: agentSettingsSchema, pauses: z.array(pauseSchema) })

export type SavedAgent = z.infer<typeof savedAgentSchema>

/**
 * The agent and its pauses. active → paused by a send of the app's or a person's reply, until the takeover window
 * elapses; → active again at once when the customer types `BOT` (GEN-06).
 */
export interface Agent {
  settings: AgentSettings
  pause(pause: Pause): void
  resume(number: string, customer: string): void
  /** Until when it is silent; undefined where it is active. */
  pausedUntil(number: string, customer: string): number | undefined
  pauses(): readonly Pause[]
  save(): SavedAgent
}

export function createAgent(now: () => number, saved: SavedAgent = { settings: USUAL, pauses: [] }): Agent {
  const keyOf = ({ number, customer }: Omit<Pause, 'until'>) => `${number}/${customer}`
  const all = new Map(saved.pauses.map((pause) => [keyOf(pause), pause]))
  const pauses = () => {
    for (const [key, { until }] of all) if (until <= now()) all.delete(key)
    return [...all.values()]
  }
  const agent: Agent = {
    settings: saved.settings,
    pause: (pause) => void all.set(keyOf(pause), pause),
    resume: (number, customer) => void all.delete(keyOf({ number, customer })),
    pausedUntil(number, customer) {
      const until = all.get(keyOf({ number, customer }))?.until
      return until !== undefined && until > now() ? until : undefined
    },
    pauses,
    save: () => ({ settings: agent.settings, pauses: pauses() }),
  }
  return agent
}
