import { optionsInvalid } from '../../../base/errors.ts'
import { counted, RETRYABLE, stateText } from '../../../view/delivery-states.ts'
import { type RetryTarget, requeueInOrder, type Retried } from '../../../view/requeue.ts'
import type { Store } from '../../../store/store.ts'
import { type DatabaseFlags, withStore } from '../support/open-database.ts'
import type { Io } from '../support/io.ts'
import { printResult } from '../support/output.ts'
import { filterOf, type Filters, findDeliveries, named, pages } from './select.ts'
import type { InboxState } from '../../../store/database/inbox-tables.ts'

interface RetryFlags extends DatabaseFlags, Filters {
  readonly dead?: boolean
  readonly parked?: boolean
}

export async function retry(io: Io, ids: readonly string[], given: RetryFlags): Promise<void> {
  const states = statesFor(ids, given)
  const retried = await withStore(io, given, async (store) => {
    const flags = await named(store, given)
    const seqs = ids.length > 0 ? await namedBy(store, ids) : await matching(store, flags, states)
    const { number, customer } = flags
    const meant: RetryTarget = {
      states: ids.length > 0 ? RETRYABLE : states,
      matches: (item) => item.number === (number ?? item.number) && item.customer === (customer ?? item.customer),
    }
    return requeueInOrder(store, seqs, meant)
  })
  printResult(io, given, retried, ...resultText(retried))
}

/** In the order of arrival, so that a customer's older message is requeued first. */
async function matching(store: Store, flags: Filters, states: readonly InboxState[]): Promise<number[]> {
  const seqs: number[] = []
  for await (const page of pages(store, { ...filterOf(flags, Date.now()), states }))
    seqs.push(...page.map(({ seq }) => seq))
  return seqs.sort((a, b) => a - b)
}

function statesFor(ids: readonly string[], flags: RetryFlags): readonly InboxState[] {
  const chosen = (['dead', 'parked'] as const).filter((state) => flags[state])
  const filtered = [flags.event, flags.customer, flags.number, flags.since].some((one) => one !== undefined)
  if (ids.length > 0 && (chosen.length > 0 || filtered))
    throw optionsInvalid('name either deliveries or a kind of them, not both')
  if (ids.length > 0 || chosen.length > 0) return chosen
  throw optionsInvalid('name deliveries, or pass --dead or --parked')
}

/** Refuses an id that several deliveries have, because one of them may be forged. */
async function namedBy(store: Store, ids: readonly string[]): Promise<number[]> {
  const named = new Set<number>()
  for (const id of ids) {
    const [delivery, ...more] = await findDeliveries(store, id)
    if (!delivery) continue
    if (more.length > 0) {
      const which = [delivery, ...more].map((one) => `${one.seq} (${stateText(one)})`).join(', ')
      throw new Error(`several deliveries have the id ${id}: choose one of ${which}`)
    }
    named.add(delivery.seq)
  }
  return [...named].sort((a, b) => a - b)
}

function resultText({ items, deliveries, along, untouched }: Retried): string[] {
  const left = untouched.map(({ seq, id, why }) => `Not requeued: ${seq}${id === undefined ? '' : ` (${id})`}: ${why}.`)
  if (items + deliveries === 0) return ['Nothing was requeued.', ...left]
  const parts = [
    ...(items > 0 ? [counted(items, 'dead item', 'dead items')] : []),
    ...(deliveries > 0 ? [`${counted(deliveries)} to be ingested again`] : []),
  ]
  const burst = along === 0 ? [] : [`A burst is requeued as a whole: that adds ${along} of these.`]
  return [
    `Requeued: ${parts.join(', ')}.`,
    ...burst,
    'The app handles that within a second, or when it starts.',
    ...left,
  ]
}
