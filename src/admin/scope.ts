import type { CustomerView, DeliveryView, Found, SendView, State } from './api.ts'
import type { AskedAct, RetryFilter } from './requests.ts'
import { Refused } from './admin-http.ts'

/** The numbers that a person may see; undefined for all. */
export type Scope = readonly string[] | undefined

/** Lists with the filter `number`. Any other list is of all numbers. */
const BY_NUMBER = ['deliveries', 'sends', 'conversations', 'waiting']

/**
 * @param reached undefined for all numbers.
 * @throws Refused `not_found`, as for a thing that does not exist.
 */
export function checkScope(reached: readonly string[] | undefined, scope: Scope): void {
  if (scope === undefined || (reached?.length && reached.every((number) => scope.includes(number)))) return
  const which = scope.length === 0 ? 'no number' : scope.join(', ')
  throw new Refused('not_found', `You may see ${which} only, and this concerns other numbers.`)
}

/** The query of a list of one number: by default the first that the person may see. */
export function scopedQuery(list: string, query: URLSearchParams, scope: Scope): URLSearchParams {
  if (scope === undefined) return query
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

/** A person who sees some numbers previews a retry of one of them, and does that same one. */
export function scopedAct(asked: AskedAct, scope: Scope): AskedAct {
  if (asked.act !== 'retry' || asked.filter === undefined) return asked
  return { ...asked, filter: scopedFilter(asked.filter, scope) }
}

type Shown = CustomerView | DeliveryView | SendView

/** @throws Refused `not_found` */
export function scopedView(view: Shown, scope: Scope): Shown {
  checkScope('items' in view ? view.items.map(({ number }) => number) : [view.number], scope)
  if (scope === undefined) return view
  if ('deliveries' in view) return { ...view, deliveries: ownDeliveries(view.deliveries, scope) }
  return 'sent' in view ? { ...view, sent: view.sent.filter(({ number }) => scope.includes(number)) } : view
}

interface WithItems {
  readonly items: readonly { readonly number: string }[]
}

/** A delivery with items of several numbers is not shown to a person who may not see all of them. */
export function ownDeliveries<T extends WithItems>(deliveries: T[], scope: Scope): T[] {
  if (scope === undefined) return deliveries
  return deliveries.filter(({ items }) => items.length > 0 && items.every(({ number }) => scope.includes(number)))
}

export function scopedFound({ deliveries, sends, customers }: Found, scope: Scope): Found {
  if (scope === undefined) return { deliveries, sends, customers }
  const isSeen = ({ number }: { readonly number: string }) => scope.includes(number)
  return {
    deliveries: ownDeliveries(deliveries, scope),
    sends: sends.filter(isSeen),
    customers: customers.filter(isSeen),
  }
}

export function scopedHealth(health: State['health'], scope: Scope): State['health'] {
  if (scope === undefined) return health
  return { ...health, throttled: health.throttled.filter(({ number }) => scope.includes(number)) }
}
