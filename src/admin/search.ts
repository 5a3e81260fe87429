import type { SendRow } from '../stores/port/index.ts'
import type { Found } from './api.ts'
import { Refused } from './http.ts'
import type { ViewDeps } from './query.ts'
import { customerName } from './views/customers.ts'
import { deliverySummary } from './views/deliveries.ts'
import { sendSummary } from './views/sends.ts'

const MOST = 50
const SEQ = /^\d{1,15}$/
/** A phone number as people write it. */
const WRITTEN = /^\+?[\d\s().-]{6,30}$/

/** Assumption: a person who helps customers searches for fewer of them. A person who guesses numbers needs more. */
const MOST_A_MINUTE = 30
const MINUTE_MS = 60_000

/**
 * Limits how many customers one person searches for.
 *
 * @param now Milliseconds since the epoch.
 * @returns A function that counts one search. It throws Refused `too_many`.
 */
export function createSearchLimit(now: () => number): (who: string) => void {
  const times = new Map<string, readonly number[]>()
  return (who) => {
    const recent = (times.get(who) ?? []).filter((time) => time > now() - MINUTE_MS)
    times.set(who, [...recent, now()].slice(-MOST_A_MINUTE))
    if (recent.length >= MOST_A_MINUTE)
      throw new Refused('too_many', 'You searched for many customers within a minute. Wait a moment, and search again.')
  }
}

/** The digits of a customer, if the text may be a phone number. */
export function customerIn(text: string): string | undefined {
  return WRITTEN.test(text) ? text.replaceAll(/\D/g, '') : undefined
}

/** The search is a POST, so that a customer's number stands in no address. */
export async function search(text: string, deps: ViewDeps): Promise<Found> {
  const customer = customerIn(text)
  const { store } = deps.desk
  const [bySeq, byId, sends, numbers] = await Promise.all([
    SEQ.test(text) ? store.deliveries([Number(text)]) : [],
    deliveriesNamed(text, deps),
    sendsNamed(text, deps),
    customer === undefined ? [] : store.numbersOf(customer),
  ])
  return {
    deliveries: [...bySeq, ...byId].slice(0, MOST).map((row) => deliverySummary(row, deps)),
    sends: sends.map((send) => sendSummary(send, deps)),
    customers: numbers.map((number) => customerName({ number, customer: customer ?? '' }, deps)),
  }
}

async function deliveriesNamed(text: string, { desk: { store } }: ViewDeps) {
  const found = await store.deliveriesWithId(text)
  // ULIDs are stored in capitals.
  return found.length > 0 ? found : store.deliveriesWithId(text.toUpperCase())
}

async function sendsNamed(text: string, { desk: { store } }: ViewDeps): Promise<SendRow[]> {
  const named = await Promise.all([
    store.findSend({ id: text }),
    store.findSend({ key: text }),
    store.findSend({ messageId: text, upstreamId: text }),
  ])
  const byRef = await store.sendsWithRef(text, MOST)
  const byId = new Map([...named, ...byRef].flatMap((send) => (send ? [[send.id, send] as const] : [])))
  return [...byId.values()]
}
