import { counted, RETRYABLE } from '../view/delivery-states.ts'
import { inOrder, type RetryTarget, requeueInOrder } from '../view/requeue.ts'
import type { Desk } from '../bot/inbox/bot-internals.ts'
import type { Done, Preview, RetryFilter } from './requests.ts'
import type { Handles } from './handles.ts'
import { Refused } from './admin-http.ts'
import { ownDeliveries, type Scope } from './scope.ts'
import type { ItemRow } from '../store/reads/deliveries.ts'

/** The most deliveries that one act retries, so that a person sees the result before they continue. */
const MOST_AT_ONCE = 2_000
const MOST_NAMED = 50

interface RetryDeps {
  readonly desk: Desk
  readonly handles: Handles
  readonly scope: Scope
}

interface Chosen {
  readonly seqs: readonly number[]
  readonly target: RetryTarget
  readonly what: string
}

export async function previewRetry(filter: RetryFilter, deps: RetryDeps): Promise<Preview> {
  return (await findResting(filter, deps)).preview
}

/** @throws Refused `changed` if the filter no longer matches what the token was made for. */
export async function chooseByFilter(filter: RetryFilter, token: string | undefined, deps: RetryDeps): Promise<Chosen> {
  const { seqs, target, preview } = await findResting(filter, deps)
  if (token !== preview.token)
    throw new Refused('changed', 'Since the preview, other deliveries match. Check it again.')
  return { seqs, target, what: `${counted(seqs.length)}, ${filter.states.join(' or ')}` }
}

export function chooseByNumber(seqs: readonly number[]): Chosen {
  const what = seqs.length === 1 ? `delivery ${seqs[0]}` : counted(seqs.length)
  return { seqs: seqs.toSorted((a, b) => a - b), target: { states: RETRYABLE, matches: () => true }, what }
}

export async function requeueChosen({ seqs, target }: Chosen, { store }: Desk): Promise<Done> {
  const retried = await requeueInOrder(store, seqs, target)
  const untouched = retried.untouched.slice(0, MOST_NAMED).map(({ seq, why }) => ({ what: `delivery ${seq}`, why }))
  return { count: retried.items + retried.deliveries, untouched }
}

async function findResting(filter: RetryFilter, deps: RetryDeps) {
  const { event, number } = filter
  const states = [...new Set(filter.states)]
  const found = await deps.desk.store.restingSeqs({ states, event, number, limit: MOST_AT_ONCE + 1 })
  const seqs: number[] = []
  const isMeant = (item: ItemRow) =>
    states.some((state) => state === item.state) && (number === undefined || item.number === number)
  const [items, customers, shown] = [new Set<number>(), new Set<string>(), [] as unknown[]]
  // Leave out deliveries with items of other numbers: a parked delivery is read again as a whole.
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
  // An item that stops after the preview is not included.
  const target: RetryTarget = { states, matches: ({ id }) => items.has(id) }
  return { seqs, target, preview }
}
