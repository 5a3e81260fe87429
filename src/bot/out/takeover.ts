import type { Clock } from '../../base/clock.ts'
import type { CustomerOfNumber, StartedItem, Fence } from '../../store/types/types.ts'
import type { Store } from '../../store/store.ts'
import { isInForce } from '../../store/rules/items.ts'
import { AttemptOver } from './send.ts'

/** Somebody else has the customer. */
export interface Takeover {
  /** `person`: after `handOver`. `agent`: the service's own agent, after the customer typed `BOT`. */
  readonly by: 'person' | 'agent'
  readonly since: Date
  /** The end, unless `resume()` ends it earlier or another take-over prolongs it. */
  readonly until: Date
}

/** Who has the customer when an item begins; undefined if the bot has. */
export function takeoverAt({ takenOver }: Pick<StartedItem, 'takenOver'>, now: number): Takeover | undefined {
  if (!isInForce(takenOver, now)) return undefined
  const { by, since, until } = takenOver
  return { by, since: new Date(since), until: new Date(until) }
}

/**
 * Whether the service's own agent answers this customer. `active`: the customer requested it, and nothing was sent since.
 * `paused`: by a send less than a takeover window ago. `unknown`: otherwise, because the service does not show it.
 */
export interface Agent {
  readonly state: 'active' | 'paused' | 'unknown'
  /** True if the customer typed `BOT`, so the bot does not reply. */
  readonly asked: boolean
}

/** @param takeoverMs how long a send pauses the agent, copied from the dashboard. */
export function agentOf(
  { takenOver, lastSentAt }: Pick<StartedItem, 'takenOver' | 'lastSentAt'>,
  now: number,
  takeoverMs: number | undefined,
): Agent {
  const asked = isInForce(takenOver, now) && takenOver.by === 'agent'
  if (asked && (lastSentAt ?? 0) <= takenOver.since) return { state: 'active', asked }
  const paused = takeoverMs !== undefined && lastSentAt !== undefined && now < lastSentAt + takeoverMs
  return { state: paused ? 'paused' : 'unknown', asked }
}

export type Takeovers = ReturnType<typeof createTakeovers>

/** Each call throws `AttemptOver` if the lane of its fence was lost. */
export function createTakeovers({ store, clock }: { store: Store; clock: Clock }) {
  const requireLane = (hasLane: boolean) => {
    if (!hasLane) throw new AttemptOver('its lane was lost')
  }
  return {
    async handOver({ number, customer }: CustomerOfNumber, forMs: number, fence?: Fence): Promise<void> {
      const since = clock.service()
      requireLane(await store.takeOver({ number, customer, by: 'person', since, until: since + forMs }, fence))
    },
    async resume(who: CustomerOfNumber, fence?: Fence): Promise<void> {
      requireLane(await store.resume(who, clock.service(), fence))
    },
    async forget(who: CustomerOfNumber, fence?: Fence): Promise<void> {
      requireLane(await store.forget(who, clock.wall(), fence))
    },
  }
}
