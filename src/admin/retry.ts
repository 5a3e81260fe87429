import { RETRYABLE } from '../inspect/delivery-states.ts'
import { iso } from '../inspect/iso.ts'
import { inOrder, type Meant, putBackInOrder, type Retried } from '../inspect/put-back.ts'
import type { Desk } from '../receive/desk.ts'
import type { DeliveryRow, InboxState } from '../stores/port/index.ts'
import type { Done, Preview, RetryFilter } from './api.ts'
import { checkFilter } from './bodies.ts'
import { Refused } from './http.ts'
import type { Sealer } from './sealed.ts'

/** The most that one act puts back: a person looks at what comes of it, and goes on. */
const MOST_AT_ONCE = 2_000
/** The most that are named as left alone. */
const MOST_NAMED = 50

interface RetryDeps {
  readonly desk: Desk
  readonly sealer: Sealer
}

/** Deliveries that a person means to put back, the oldest first. */
export interface Chosen {
  readonly seqs: readonly number[]
  readonly meant: Meant
  /** In words. */
  readonly what: string
}

/** Counts what a filter means now, and gives the token of just that. */
export async function previewRetry(given: unknown, deps: RetryDeps): Promise<Preview> {
  const filter = checkFilter(given)
  const { seqs, more } = await matching(filter, deps)
  const { isMeant } = meantBy(filter)
  const [customers, states, events] = [new Set<string>(), new Map<string, number>(), new Map<string, number>()]
  const ages: number[] = []
  for await (const rows of inOrder(deps.desk.store, seqs))
    for (const row of rows) {
      for (const { number, customer } of row.items.filter(isMeant))
        if (customer !== undefined) customers.add(`${number}/${customer}`)
      for (const state of statesOf(row, filter)) add(states, state)
      add(events, row.event ?? 'unknown')
      ages.push(row.receivedAt)
    }
  return {
    token: tokenFor(filter, seqs, deps),
    deliveries: seqs.length,
    customers: customers.size,
    states: Object.fromEntries(states),
    events: Object.fromEntries(events),
    oldest: iso(ages[0]),
    newest: iso(ages.at(-1)),
    more,
  }
}

/** @throws Refused `changed` if the filter does not mean what the token was given for. */
export async function chosenByFilter(given: unknown, token: unknown, deps: RetryDeps): Promise<Chosen> {
  const filter = checkFilter(given)
  const { seqs } = await matching(filter, deps)
  if (token !== tokenFor(filter, seqs, deps))
    throw new Refused('changed', 'Since the preview other deliveries match: look at them again.')
  return { seqs, meant: meantBy(filter), what: `${countText(seqs.length)}, ${filter.states.join(' or ')}` }
}

export function chosenByNumber(seqs: readonly number[]): Chosen {
  const what = seqs.length === 1 ? `delivery ${seqs[0]}` : countText(seqs.length)
  return { seqs: [...seqs].sort((a, b) => a - b), meant: { states: RETRYABLE, isMeant: () => true }, what }
}

/** Puts them back, each if it is still at rest. */
export async function putBack({ seqs, meant }: Chosen, { store }: Desk): Promise<Done> {
  const retried: Retried = { items: 0, deliveries: 0, along: 0, untouched: [] }
  await putBackInOrder(store, seqs, meant, retried)
  const untouched = retried.untouched.slice(0, MOST_NAMED).map(({ seq, why }) => ({ what: `delivery ${seq}`, why }))
  return { count: retried.items + retried.deliveries, untouched }
}

async function matching(filter: RetryFilter, { desk }: RetryDeps) {
  const { states, event, number, from } = filter
  const found = await desk.store.restingSeqs({
    states: states as readonly InboxState[],
    limit: MOST_AT_ONCE + 1,
    ...(event !== undefined && { event }),
    ...(number !== undefined && { number }),
    ...(from !== undefined && { receivedFrom: from }),
  })
  return { seqs: found.slice(0, MOST_AT_ONCE), more: found.length > MOST_AT_ONCE }
}

function meantBy({ states, number }: RetryFilter): Meant {
  return { states: states as readonly InboxState[], isMeant: (item) => item.number === (number ?? item.number) }
}

function tokenFor({ states, event, number, from }: RetryFilter, seqs: readonly number[], { sealer }: RetryDeps) {
  return sealer.tokenOf([[...states].sort(), event ?? null, number ?? null, from ?? null, seqs])
}

/** The states of a delivery for which a filter means it. */
function statesOf({ items, state }: DeliveryRow, { states }: RetryFilter): readonly string[] {
  const own = items.length === 0 ? [state] : items.map((item) => item.state)
  return [...new Set(own)].filter((one) => states.includes(one))
}

function add(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1)
}

function countText(count: number): string {
  return count === 1 ? '1 delivery' : `${count} deliveries`
}
