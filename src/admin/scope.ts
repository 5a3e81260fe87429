import { numberNamesOf, subscriptionOf } from '../store/rules/numbers.ts'
import type { AskedAct, RetryFilter } from './requests.ts'
import * as builtIn from '../built-in/admin-requests.ts'
import { Refused } from './admin-http.ts'

/** The numbers that a person may see; undefined for all. */
export type Scope = readonly string[] | undefined

/** Lists with the filter `number`. Any other list is of all numbers. */
const BY_NUMBER = ['deliveries', 'sends', ...Object.keys(builtIn)]

/**
 * Wraps every answer to a person who may see some numbers only. A missing row and a row of another number get the same
 * answer, so that the person does not learn which numbers, deliveries or sends exist.
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

/**
 * @param reached undefined for all numbers.
 * @throws Refused `not_found`
 */
export function checkScope(reached: readonly string[] | undefined, scope: Scope): void {
  if (scope === undefined || (reached?.length && reached.every((number) => scope.includes(number)))) return
  throw new Refused('not_found', 'It concerns other numbers.')
}

/** The number if exactly one is given: a person reads the history of one number at a time. */
export function onlyOne(numbers: readonly string[] | undefined): string | undefined {
  return numbers?.length === 1 ? numbers[0] : undefined
}

/** The query of a list of one number: by default the first that the person may see. */
export function scopedQuery(list: string, query: URLSearchParams, scope: Scope): URLSearchParams {
  // The record knows the numbers of each act.
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

/**
 * Limits an act to one number. A person who may see only some numbers retries one of them: that which the preview
 * showed, by default the first.
 */
export function scopedAct(asked: AskedAct, scope: Scope): AskedAct {
  if (asked.act !== 'retry' || asked.filter === undefined) return asked
  return { ...asked, filter: scopedFilter(asked.filter, scope) }
}

interface WithItems {
  readonly subscription: string
  readonly items: readonly { readonly number: string }[]
}

/**
 * Finds deliveries that the person may see. A delivery with items of several numbers is shown only to a person who may
 * see all of them.
 */
export function ownDeliveries<T extends WithItems>(deliveries: T[], scope: Scope): T[] {
  if (scope === undefined) return deliveries
  return deliveries
    .filter(({ items }) => items.length > 0 && items.every(({ number }) => scope.includes(number)))
    .map((delivery) => ({ ...delivery, subscription: ownPart(delivery.subscription, scope) }))
}

/** A shared subscription has the names of all its numbers. */
export function ownPart(subscription: string, scope: readonly string[]): string {
  return subscriptionOf(numberNamesOf(subscription).filter((number) => scope.includes(number)))
}
