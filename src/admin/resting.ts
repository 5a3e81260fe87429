import { iso } from '../inspect/iso.ts'
import { inOrder, type Meant } from '../inspect/put-back.ts'
import type { Desk } from '../receive/desk.ts'
import type { CustomerOfNumber, DeliveryRow, InboxState, ItemRow } from '../stores/port/index.ts'
import type { Preview, RetryFilter } from './api.ts'
import { Refused } from './http.ts'
import type { Sealer } from './sealed.ts'

/** The most that one act puts back: a person looks at what comes of it, and goes on. */
const MOST_AT_ONCE = 2_000

export interface RestingDeps {
  readonly desk: Desk
  readonly sealer: Sealer
}

/** Whatever a filter means at a time: the oldest deliveries, and what is at rest of each. */
export interface Resting {
  readonly seqs: readonly number[]
  /** Items that were found: one that comes to rest later is not meant. */
  readonly meant: Meant
  readonly preview: Preview
}

export async function restingBy(filter: RetryFilter, deps: RestingDeps): Promise<Resting> {
  const { states, event, number, from } = filter
  const who = customerOf(filter, deps)
  const found = await deps.desk.store.restingSeqs({
    states: states as readonly InboxState[],
    limit: MOST_AT_ONCE + 1,
    ...(event !== undefined && { event }),
    ...(number !== undefined && { number }),
    ...(who && { number: who.number, customer: who.customer }),
    ...(from !== undefined && { receivedFrom: from }),
  })
  const seqs = found.slice(0, MOST_AT_ONCE)
  const tally = createTally()
  for await (const rows of inOrder(deps.desk.store, seqs))
    for (const row of rows)
      tally.add(
        row,
        row.items.filter((item) => states.includes(item.state) && isOf(item, number, who)),
      )
  const { items, shown, ...counts } = tally.end()
  return {
    seqs,
    meant: { states: states as readonly InboxState[], isMeant: ({ id }) => items.has(id) },
    preview: {
      token: deps.sealer.tokenOf([[...states].sort(), event, number, who, from, shown].map((one) => one ?? null)),
      deliveries: seqs.length,
      ...counts,
      more: found.length > MOST_AT_ONCE,
    },
  }
}

/** @throws Refused `invalid` */
function customerOf({ number, customer }: RetryFilter, { sealer }: RestingDeps): CustomerOfNumber | undefined {
  const who = customer === undefined ? undefined : sealer.customerOf(customer)
  if (who && number !== undefined && number !== who.number)
    throw new Refused('invalid', 'number: the customer is one of another number')
  return who
}

function isOf(item: ItemRow, number: string | undefined, who: CustomerOfNumber | undefined): boolean {
  const isOfCustomer = !who || (item.number === who.number && item.customer === who.customer)
  return isOfCustomer && (number === undefined || item.number === number)
}

/** Counts what is meant, delivery by delivery, and keeps what of each was shown. */
function createTally() {
  const [customers, states, events] = [new Set<string>(), new Map<string, number>(), new Map<string, number>()]
  const items = new Set<number>()
  const shown: unknown[] = []
  const ages: number[] = []
  return {
    add(row: DeliveryRow, meant: readonly ItemRow[]): void {
      for (const { id, number, customer } of meant) {
        items.add(id)
        if (customer !== undefined) customers.add(`${number}/${customer}`)
      }
      const found = row.items.length === 0 ? [row.state] : meant.map(({ state }) => state)
      for (const state of new Set(found)) add(states, state)
      add(events, row.event ?? 'unknown')
      ages.push(row.receivedAt)
      shown.push([row.seq, ...(row.items.length === 0 ? found : meant.map(({ idx, state }) => [idx, state]))])
    },
    end: () => ({
      items,
      shown,
      customers: customers.size,
      states: Object.fromEntries(states),
      events: Object.fromEntries(events),
      oldest: iso(ages[0]),
      newest: iso(ages.at(-1)),
    }),
  }
}

function add(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1)
}
