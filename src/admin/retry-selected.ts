import { counted, RETRYABLE } from '../view/delivery-states.ts'
import { inOrder, type RetryTarget, requeueInOrder } from '../view/requeue.ts'
import type { Desk } from '../bot/bot-internals.ts'
import type { Done, Preview, RetryFilter } from './requests.ts'
import { Refused } from './admin-http.ts'
import type { ActDeps } from './part.ts'
import { ownDeliveries } from './scope.ts'
import type { ItemRow } from '../store/reads/deliveries.ts'

/** The most deliveries that one act retries. The person sees the result before they retry more. */
const MOST_AT_ONCE = 2_000
const MOST_NAMED = 50

interface Chosen {
  readonly seqs: readonly number[]
  readonly target: RetryTarget
  readonly what: string
}

export async function previewRetry(filter: RetryFilter, deps: ActDeps): Promise<Preview> {
  return (await findMatching(filter, deps)).preview
}

/** @throws Refused `changed` if the filter no longer matches the items for which the token was made. */
export async function chooseByFilter(filter: RetryFilter, token: string | undefined, deps: ActDeps): Promise<Chosen> {
  const { seqs, target, preview } = await findMatching(filter, deps)
  if (token !== preview.token)
    throw new Refused('changed', 'Since the preview, other deliveries match. Check it again.')
  return { seqs, target, what: `${counted(seqs.length)}, ${filter.states.join(' or ')}` }
}

export function chooseBySeq(seqs: readonly number[]): Chosen {
  const what = seqs.length === 1 ? `delivery ${seqs[0]}` : counted(seqs.length)
  return { seqs: seqs.toSorted((a, b) => a - b), target: { states: RETRYABLE, matches: () => true }, what }
}

export async function requeueChosen({ seqs, target }: Chosen, { store }: Desk): Promise<Done> {
  const retried = await requeueInOrder(store, seqs, target)
  const untouched = retried.untouched.slice(0, MOST_NAMED).map(({ seq, why }) => ({ what: `delivery ${seq}`, why }))
  return { count: retried.items + retried.deliveries, untouched }
}

async function findMatching(filter: RetryFilter, deps: ActDeps) {
  const { event, number } = filter
  const states = [...new Set(filter.states)]
  const found = await deps.desk.store.restingSeqs({ states, event, number, limit: MOST_AT_ONCE + 1 })
  const seqs: number[] = []
  const isMeant = (item: ItemRow) =>
    states.some((state) => state === item.state) && (number === undefined || item.number === number)
  const [items, customers, shown] = [new Set<number>(), new Set<string>(), [] as unknown[]]
  // `ownDeliveries` drops a delivery that also has items of forbidden numbers: a retry reads a parked one as a whole.
  for await (const rows of inOrder(deps.desk.store, found.slice(0, MOST_AT_ONCE)))
    for (const { seq, state, items: all } of ownDeliveries(rows, deps.scope)) {
      seqs.push(seq)
      const target = all.filter(isMeant)
      for (const { id, number: on, customer } of target) {
        items.add(id)
        if (customer !== undefined) customers.add(`${on}/${customer}`)
      }
      shown.push([seq, all.length === 0 ? state : target.map(({ idx, state }) => [idx, state])])
    }
  const token = deps.handles.tokenOf([states.toSorted(), event, number, shown].map((one) => one ?? null))
  const more = found.length > MOST_AT_ONCE
  const preview: Preview = { token, deliveries: seqs.length, customers: customers.size, more }
  // Only the items of the preview are retried. More items may become dead or parked meanwhile.
  const target: RetryTarget = { states, matches: ({ id }) => items.has(id) }
  return { seqs, target, preview }
}
