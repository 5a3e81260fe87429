import type { DeliveryRow } from '../store/reads/deliveries.ts'
import type { InboxState } from '../store/database/inbox-tables.ts'
import { OWN_EVENTS, OWN_SUBSCRIPTION } from '../store/work/items.ts'

export const NEEDS_A_PERSON = [
  'dead',
  'parked',
  'quarantined',
  'conflict',
  'suspected_replay',
] as const satisfies readonly InboxState[]

/** The states that `retry` accepts. An ignored delivery waits for nobody, but can be retried. */
export const RETRYABLE = [...NEEDS_A_PERSON, 'ignored'] as const satisfies readonly InboxState[]

export function isOwn({ subscription }: DeliveryRow): boolean {
  return subscription === OWN_SUBSCRIPTION
}

const OWN_EVENT_WORDS = new Map(Object.values(OWN_EVENTS).map(({ event, words }) => [event, words]))

export function ownEventText({ event = '' }: DeliveryRow): string {
  return `the bot itself, ${OWN_EVENT_WORDS.get(event) ?? 'of a newer release'}`
}

export function countStates({ items, state, pending }: DeliveryRow): Partial<Record<InboxState, number>> {
  if (items.length === 0) return state !== 'stored' || pending ? { [state]: 1 } : {}
  const counts: Partial<Record<InboxState, number>> = {}
  for (const item of items) counts[item.state] = (counts[item.state] ?? 0) + 1
  return counts
}

export function isRetryable(delivery: DeliveryRow): boolean {
  const states = Object.keys(countStates(delivery))
  const atRest = RETRYABLE.some((state) => states.includes(state)) && !delivery.pending
  const isIgnoredItem = delivery.items.length > 0 && states.every((state) => state === 'ignored')
  return atRest && !isIgnoredItem
}

export function stateText(delivery: DeliveryRow): string {
  const states = Object.entries(countStates(delivery))
  const [only] = states
  if (states.length === 1 && only && only[1] === 1) return only[0]
  return states.map(([state, count]) => `${count} ${state}`).join(', ')
}

const STATE_EXPLANATIONS: Readonly<Record<InboxState, string>> = {
  stored: 'it waits for its turn; the app handles it while it runs',
  running: 'a handler is running; if its process ends, another process starts it again',
  retry: 'a handler failed; it is retried automatically',
  done: 'it was handled',
  parked: 'its handlers need something that is missing: fix what the reason states, then retry it',
  dead: 'its handlers failed for good: fix what the reason states, then retry it',
  ignored: 'no handler listens for its event; add one, then retry it',
  rested: 'a person or the agent had its customer, so no route ran',
  quarantined: 'its signature is valid, but it cannot be read; once it can, retry it',
  suspected_replay:
    'the same signed bytes arrived earlier under another id or event; check that delivery before you retry this one',
  conflict: 'its id arrived earlier with other signed bytes; check that delivery before you retry this one',
  rendered_anew: 'it repeats the first delivery with its id, and that one counts',
  same_message: 'the same message arrived in another delivery, and that one counts',
  stale: 'its signature is valid, but its time was too far off: it is kept and never handled',
}

export function explain(delivery: DeliveryRow): string[] {
  return (Object.keys(countStates(delivery)) as InboxState[]).map((state) => STATE_EXPLANATIONS[state])
}

export function whyNotRetried(delivery: DeliveryRow): string {
  if (delivery.pending) return 'it waits already'
  const [state = 'done'] = Object.keys(countStates(delivery)) as InboxState[]
  return WHY_NOT_RETRIED[state]
}

const WHY_NOT_RETRIED: Readonly<Record<InboxState, string>> = {
  ...STATE_EXPLANATIONS,
  stored: 'it waits already',
  running: 'it is being handled',
  retry: 'it is retried automatically',
  ignored: 'no handler listens for its event',
}

export function whyNotReingested(delivery: DeliveryRow): string {
  if (delivery.pending) return 'it waits already'
  if (delivery.event === undefined || delivery.deliveryId === undefined) return 'its headers cannot be read'
  if (!delivery.hasBytes) return 'its bytes were removed'
  return 'it no longer waits for a person'
}

export function counted(count: number, one = 'delivery', many = 'deliveries'): string {
  return `${count} ${count === 1 ? one : many}`
}
