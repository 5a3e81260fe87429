import { toMs } from '../../base/duration.ts'
import type { ContextValues, CustomerMethods } from '../../bot/feature.ts'
import type { ReadItem } from '../../bot/inbox/read-delivery.ts'
import { AttemptOver } from '../../bot/outbox/send.ts'
import type { WhichRoutes } from '../../bot/routes/compile.ts'
import type { Message } from '../../bot/routes/context.ts'
import type { RunningAttempt, Silencing } from '../../bot/work/running-attempt.ts'
import { isGivenBack } from '../../store/work/item-rules.ts'
import { isInForce } from '../../store/database/silence.ts'
import type { StartedItem } from '../../store/work/items.ts'
import type { NewTakeover } from './store/hand-over.ts'
import type { TakenOver } from './store/taken-over.ts'
import type { Agent, HandsOver, ShowsTakeover, Takeover } from './take-over-members.ts'

/** How long a customer who typed `BOT` gets no reply, unless the app calls `resume()` earlier (GEN-07). */
export const AGENT_HAS_CUSTOMER_MS = 24 * 3_600_000

export const silencing: Silencing = { askedBy, routesFor }

/** A customer who types `BOT` wants the service's agent. The bot rests, because each reply would pause the agent. */
function askedBy({ kind, customer, facts: { values, sure }, number, receivedAt }: ReadItem): NewTakeover | undefined {
  const { text, at = receivedAt } = values
  if (kind !== 'message' || customer === undefined || !asksForAgent(text)) return undefined
  if (!sure.includes('customer')) return undefined
  const since = Math.min(at, receivedAt)
  return { number: number.name, customer, by: 'agent', since, until: since + AGENT_HAS_CUSTOMER_MS }
}

/** Tells whether a text requests the service's own agent. Assumption: the service ignores case, and space around it. */
export function asksForAgent(text: string | undefined): boolean {
  const word = text?.trim()
  return word?.length === 3 && word.toUpperCase() === 'BOT'
}

function routesFor(messages: readonly Message[], running: RunningAttempt): WhichRoutes {
  const takenOver = running.item.silence as TakenOver
  if (!isSomebodyElses(takenOver, messages, running)) return 'ordinary'
  if (takenOver.by === 'person') running.ofPerson = 'unanswered'
  return rests(running) ? 'silent' : 'all'
}

/**
 * Tells whether a person or the agent has the customer, or had when the message arrived. The message whose handler
 * handed over is an exception: its route runs to its end, also in another attempt.
 */
function isSomebodyElses(takenOver: TakenOver, messages: readonly Message[], running: RunningAttempt): boolean {
  const { item, deps } = running
  const { delivery, cause } = item
  if (takenOver.cause === cause) return false
  if (isGivenBack(item)) return isInForce(takenOver, deps.clock.service())
  if (takenOver.by === 'agent' && messages.some(({ text }) => asksForAgent(text))) return false
  const arrivedAt = delivery.receivedAt + delivery.clockOffset
  // A retry of the message whose route called `resume` gets the same routes, also if it arrived at that millisecond.
  const before = item.attempt > 1 ? takenOver.until + 1 : takenOver.until
  const arrivedMeanwhile = rests(running) && takenOver.since <= arrivedAt && arrivedAt < before
  return arrivedMeanwhile || isInForce(takenOver, deps.clock.service())
}

function rests({ deps }: RunningAttempt): boolean {
  return deps.options.takenOver !== 'run'
}

export const contextValues: ContextValues<ShowsTakeover> = { takenOver: takeoverAt, agent: agentAt }

type Silent = Pick<StartedItem, 'silence' | 'lastSentAt'>

/** Returns who has the customer when an item begins; undefined if the bot has. */
function takeoverAt({ silence }: Silent, now: number): Takeover | undefined {
  if (!isInForce(silence, now)) return undefined
  const { by, since, until } = silence
  return { by, since: new Date(since), until: new Date(until) }
}

export function agentAt({ silence, lastSentAt = 0 }: Silent, now: number): Agent {
  const asked = isInForce(silence, now) && silence.by === 'agent'
  return { state: asked && lastSentAt <= silence.since ? 'active' : 'unknown', asked }
}

export const customerMethods: CustomerMethods<HandsOver> = {
  handOver:
    ({ who, fence, deps: { store, clock } }) =>
    async ({ for: span }) => {
      const forMs = toMs(span, 'handOver.for')
      const since = clock.service()
      const asked = { ...who, by: 'person', since, until: since + forMs, now: clock.wall() } as const
      if (!(await store.takeOver(asked, fence))) throw new AttemptOver()
    },
  resume:
    ({ who, fence, deps: { store, clock } }) =>
    async () => {
      if (!(await store.resume(who, clock.service(), fence))) throw new AttemptOver()
    },
}
