import { RETRYABLE } from '../inspect/delivery-states.ts'
import { type Meant, putBackInOrder, type Retried } from '../inspect/put-back.ts'
import type { Desk } from '../receive/desk.ts'
import type { Done, Preview } from './api.ts'
import { checkFilter } from './bodies.ts'
import { Refused } from './http.ts'
import { nameOfCustomer } from './sealed.ts'
import { type RestingDeps, restingBy } from './resting.ts'

/** The most that are named as left alone. */
const MOST_NAMED = 50

/** Deliveries that a person means to put back, the oldest first. */
export interface Chosen {
  readonly seqs: readonly number[]
  readonly meant: Meant
  /** In words. */
  readonly what: string
}

/** Counts what a filter means now, and gives the token of just that. */
export async function previewRetry(given: unknown, deps: RestingDeps): Promise<Preview> {
  return (await restingBy(checkFilter(given), deps)).preview
}

/** @throws Refused `changed` if the filter does not mean what the token was given for. */
export async function chosenByFilter(given: unknown, token: unknown, deps: RestingDeps): Promise<Chosen> {
  const filter = checkFilter(given)
  const { seqs, meant, preview } = await restingBy(filter, deps)
  if (token !== preview.token)
    throw new Refused('changed', 'Since the preview something else matches: look at it again.')
  const of = filter.customer === undefined ? '' : ` of ${nameOfCustomer(filter.customer, deps.sealer)}`
  return { seqs, meant, what: `${countText(seqs.length)}${of}, ${filter.states.join(' or ')}` }
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

function countText(count: number): string {
  return count === 1 ? '1 delivery' : `${count} deliveries`
}
