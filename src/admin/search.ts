import type { CustomerOfNumber, SendRow } from '../stores/port/index.ts'
import type { Found } from './api.ts'
import type { Members } from './bodies.ts'
import type { ViewDeps } from './view.ts'
import { namedAs } from './views/customers.ts'
import { deliverySummary } from './views/deliveries.ts'
import { sendSummary } from './views/sends.ts'

const MOST = 50
const SEQ = /^\d{1,15}$/
/** A phone number as people write it. */
const WRITTEN = /^\+?[\d\s().-]{6,30}$/

/** `POST api/search`: a post, so that a customer's number stands in no address. */
export async function search(asked: Members, deps: ViewDeps): Promise<Found> {
  const text = asked.text('text').trim()
  const { store } = deps.desk
  const [bySeq, byId, sends, customers] = await Promise.all([
    SEQ.test(text) ? store.deliveries([Number(text)]) : [],
    deliveriesNamed(text, deps),
    sendsNamed(text, deps),
    WRITTEN.test(text) ? customersNamed(text.replaceAll(/\D/g, ''), deps) : [],
  ])
  return {
    deliveries: [...bySeq, ...byId].slice(0, MOST).map((row) => deliverySummary(row, deps)),
    sends: sends.map((send) => sendSummary(send, deps)),
    customers: customers.map((who) => namedAs(who, deps)),
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

/** The numbers on which anything is known of a customer. */
async function customersNamed(customer: string, { desk }: ViewDeps): Promise<CustomerOfNumber[]> {
  const known = await Promise.all(
    desk.numbers.map(async (number) => {
      const who = { number, customer }
      const { session, mute, lastInboundAt, lastSentAt } = await desk.store.customerOf(
        number,
        customer,
        desk.clock.service(),
      )
      if (session || mute || lastInboundAt !== undefined || lastSentAt !== undefined) return [who]
      const { deliveries, sends } = await desk.store.latestOf(who, 1)
      return deliveries.length + sends.length > 0 ? [who] : []
    }),
  )
  return known.flat()
}
