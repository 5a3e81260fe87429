import { maskPhone } from '../base/mask.ts'
import { unmarked } from '../service/recipient.ts'
import { lengthOf, LONG_DIGITS } from '../view/mask.ts'
import { Refused } from './admin-http.ts'
import type { ViewDeps } from './query.ts'
import { isSeenWithin, ownDeliveries, type Scope } from './scope.ts'
import { subscriptionOf } from '../store/work/subscriptions.ts'
import { customerName } from './query.ts'
import { deliverySummary } from './views/deliveries-view.ts'
import { sendSummary } from './views/sends-view.ts'
import type { SendRow } from '../store/database/outbox-tables.ts'

const MOST = 50
const SEQ = /^\d{1,15}$/
const WRITTEN = /^[\d.]{6,30}$/

/** Returns the digits of a phone number; undefined if the text is no phone number. */
export function customerIn(text: string): string | undefined {
  const written = unmarked(text)
  return WRITTEN.test(written) ? written.replaceAll('.', '') : undefined
}

export function describeSearch(text: string): string {
  const customer = customerIn(text)
  if (customer !== undefined) return `customer ${maskPhone(customer)}`
  const [digits] = text.match(LONG_DIGITS) ?? []
  return digits === undefined ? lengthOf(text) : `a text with ${maskPhone(digits)}`
}

/**
 * A person without `reveal` finds nothing by a phone number, because a row would confirm a guess. They find nothing by
 * a key either, because the app may have made the key from a phone number.
 *
 * @throws Refused `not_revealed`
 */
export async function search(
  text: string,
  { mayReveal, scope }: { readonly mayReveal: boolean; readonly scope: Scope },
  deps: ViewDeps,
) {
  const { store, sameCustomer } = deps.desk
  const written = customerIn(text)
  const customer = written && sameCustomer.of(written)
  const mayMatch = mayReveal || (customer === undefined && text.search(LONG_DIGITS) < 0)
  const isSeen = isSeenWithin(scope)
  const [bySeq, byId, named, numbers] = await Promise.all([
    SEQ.test(text) ? store.deliveries([Number(text)]) : [],
    deliveriesNamed(text, deps),
    sendsNamed(text, { byKey: mayReveal, byRef: mayMatch, scope }, deps),
    customer !== undefined && mayReveal ? store.numbersOf(customer) : [],
  ])
  const deliveries = ownDeliveries([...bySeq, ...byId], scope).slice(0, MOST)
  const sends = named.filter(isSeen)
  if (!mayMatch && deliveries.length + sends.length === 0)
    throw new Refused('not_revealed', 'You may not search by a number. Search by an id, or by a ref without a number.')
  return {
    deliveries: deliveries.map((row) => deliverySummary(row, deps)),
    sends: sends.map((send) => sendSummary(send, deps)),
    customers: numbers
      .map((number) => ({ number, customer: customer ?? '' }))
      .filter(isSeen)
      .map((who) => customerName(who, deps)),
  }
}

async function deliveriesNamed(text: string, { desk: { store } }: ViewDeps) {
  const found = await store.deliveriesWithId(text)
  // A ULID may be typed in small letters. It is stored in capitals.
  return found.length > 0 ? found : store.deliveriesWithId(text.toUpperCase())
}

async function sendsNamed(
  text: string,
  may: { readonly byKey: boolean; readonly byRef: boolean; readonly scope: Scope },
  { desk: { store } }: ViewDeps,
): Promise<SendRow[]> {
  const named = await Promise.all([
    store.findSend({ id: text }),
    may.byKey ? store.findSend({ key: text }) : undefined,
    // With a scope, search only its numbers: messages of several tenants may have the same id.
    store.findSend({ messageId: text, upstreamId: text, ...(may.scope && { number: subscriptionOf(may.scope) }) }),
  ])
  const byRef = may.byRef ? await store.sendsWithRef(text, MOST) : []
  const byId = new Map([...named, ...byRef].flatMap((send) => (send ? [[send.id, send] as const] : [])))
  return [...byId.values()]
}
