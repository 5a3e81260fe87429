import type { Clock } from '../base/clock.ts'
import type { Fence, TakeoverState, Store } from '../stores/port/index.ts'
import { AttemptOver } from './errors.ts'

/** How long the bot does not reply to a customer who typed `BOT`, unless the app takes over before (GEN-07). */
export const MUTED_AFTER_BOT_MS = 24 * 3_600_000

/**
 * Whether a message asks for the service's own agent. That it may be written in any case and with space around it is an
 * assumption.
 */
export function asksForAgent(text: string | undefined): boolean {
  return text?.trim().toUpperCase() === 'BOT'
}

/**
 * Whether the service's own agent answers this customer, as far as can be known. `active`: the customer asked for it,
 * and nothing was sent since. `paused`: a send paused it less than a takeover window ago. Else `unknown`: whether the
 * number has an agent, and how long a send pauses it, is not shown.
 */
export interface Agent {
  readonly state: 'active' | 'paused' | 'unknown'
  /** The customer typed `BOT`, and the bot is silent for that. */
  readonly asked: boolean
}

/** @param takeoverMs how long a send pauses the agent, as the app was told by the dashboard. */
export function agentOf({ mute, lastSentAt }: TakeoverState, now: number, takeoverMs: number | undefined): Agent {
  const asked = mute?.why === 'agent'
  if (asked && (lastSentAt ?? 0) <= mute.since) return { state: 'active', asked }
  const paused = takeoverMs !== undefined && lastSentAt !== undefined && now < lastSentAt + takeoverMs
  return { state: paused ? 'paused' : 'unknown', asked }
}

interface Who {
  readonly number: string
  readonly customer: string
}

/** Who speaks to a customer: the bot, or somebody else for a while. */
export interface Takeover {
  /** The bot does not reply to this customer for that long; what the app sends by `to().send` goes out. */
  handOver(who: Who, forMs: number, fence?: Fence): Promise<void>
  /** The bot replies again, whatever silenced it. */
  resume(who: Who, fence?: Fence): Promise<void>
  /** Nothing of this customer is kept any more: see `Store.forget`. */
  forget(who: Who, fence?: Fence): Promise<void>
}

export function createTakeover({ store, clock }: { store: Store; clock: Clock }): Takeover {
  const held = (kept: boolean) => {
    if (!kept) throw new AttemptOver('its lane was lost')
  }
  return {
    async handOver(who, forMs, fence) {
      const since = clock.service()
      held(await store.mute({ ...who, why: 'handed_over', since, until: since + forMs }, fence))
    },
    async resume(who, fence) {
      held(await store.unmute(who, clock.service(), fence))
    },
    async forget(who, fence) {
      held(await store.forget(who, clock.wall(), fence))
    },
  }
}
