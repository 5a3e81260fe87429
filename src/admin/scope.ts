import { numberNamesOf, subscriptionOf } from '../store/work/subscriptions.ts'
import type { AskedAct, RetryFilter } from './requests.ts'
import * as builtIn from '../built-in/admin-requests.ts'
import { Refused } from './admin-http.ts'

/** The numbers that a person may see; undefined for all. */
export type Scope = readonly string[] | undefined

/** Returns a function that tells whether the person may see a row. */
export function isSeenWithin(scope: Scope): (row: { readonly number: string }) => boolean {
  return ({ number }) => scope?.includes(number) ?? true
}

/** The lists with a filter `number`. */
const BY_NUMBER = ['deliveries', 'sends', ...Object.keys(builtIn)]

/**
 * Gives a missing row and a row of another number the same answer, so that a person who may see some numbers only does
 * not learn which other numbers, deliveries or sends exist.
 */
export async function withinScope<T>(scope: Scope, answer: () => Promise<T>): Promise<T> {
  try {
    return await answer()
  } catch (error) {
    if (scope === undefined || !(error instanceof Refused) || error.code !== 'not_found') throw error
    const which = scope.length === 0 ? 'no number' : scope.join(', ')
    throw new Refused('not_found', `This does not exist, or concerns other numbers: you may see ${which}.`)
  }
}

/** `reached`: the numbers that a request concerns; undefined for all. @throws Refused `not_found` */
export function checkScope(reached: readonly string[] | undefined, scope: Scope): void {
  if (scope === undefined || (reached?.length && reached.every((number) => scope.includes(number)))) return
  throw new Refused('not_found', 'It concerns other numbers.')
}

/** Returns the number for the record of acts; undefined if an act concerns several numbers, or all. */
export function onlyOne(numbers: readonly string[] | undefined): string | undefined {
  return numbers?.length === 1 ? numbers[0] : undefined
}

/** Limits a list to one number: by default the first that the person may see. */
export function scopedQuery(list: string, query: URLSearchParams, scope: Scope): URLSearchParams {
  // The list of acts has its own filter for several numbers.
  if (scope === undefined || list === 'acts') return query
  const number = BY_NUMBER.includes(list) ? (query.get('number') ?? scope[0]) : undefined
  checkScope(number === undefined ? undefined : [number], scope)
  return new URLSearchParams([...[...query].filter(([name]) => name !== 'number'), ['number', number ?? '']])
}

export function scopedFilter(filter: RetryFilter, scope: Scope): RetryFilter {
  if (scope === undefined) return filter
  const number = filter.number ?? scope[0]
  checkScope(number === undefined ? undefined : [number], scope)
  return { ...filter, number }
}

/** Limits the filter of a retry to one number, as the filter of its preview was limited. */
export function scopedAct(asked: AskedAct, scope: Scope): AskedAct {
  if (asked.act !== 'retry' || asked.filter === undefined) return asked
  return { ...asked, filter: scopedFilter(asked.filter, scope) }
}

interface WithItems {
  readonly subscription: string
  readonly items: readonly { readonly number: string }[]
}

/** Returns the deliveries that have items, all of which the person may see. With an undefined scope, returns all. */
export function ownDeliveries<T extends WithItems>(deliveries: T[], scope: Scope): T[] {
  if (scope === undefined) return deliveries
  return deliveries
    .filter(({ items }) => items.length > 0 && items.every(({ number }) => scope.includes(number)))
    .map((delivery) => ({ ...delivery, subscription: ownPart(delivery.subscription, scope) }))
}

/** Keeps those names in a subscription's name that the person may see: it lists all numbers of the subscription. */
export function ownPart(subscription: string, scope: readonly string[]): string {
  return subscriptionOf(numberNamesOf(subscription).filter((number) => scope.includes(number)))
}
