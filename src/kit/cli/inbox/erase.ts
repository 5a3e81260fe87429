import { maskPhone } from '../../../base/mask.ts'
import { erasing, pruning } from '../../../store/maintenance/maintenance.ts'
import { counted } from '../../../view/delivery-states.ts'
import type { Store } from '../../../store/store.ts'
import { isFromMatrix } from '../../verify/shot.ts'
import { RefusedForSafety } from '../support/exit.ts'
import { type DatabaseFlags, withStore } from '../support/open-database.ts'
import type { Io } from '../support/io.ts'
import { printResult } from '../support/output.ts'
import { pages } from './select.ts'
import type { DeliveryRow } from '../../../store/reads/deliveries.ts'

/** Removes the deliveries of `switchhook verify`, also those that wait for a person. */
export async function prune(io: Io, flags: DatabaseFlags): Promise<void> {
  const result = await withStore(io, flags, async (store) => {
    let [found, removed] = [0, 0]
    // The newest deliveries come first: the store keeps a delivery while a later one is its conflict or replay.
    for await (const page of pages(store, {})) {
      const seqs: number[] = []
      for (const delivery of page) if (await isOfVerify(store, delivery)) seqs.push(delivery.seq)
      found += seqs.length
      removed += (await store.discard(seqs)).length
    }
    return { removed, left: found - removed, whole: (await store.compact()).whole }
  })
  const { removed, left, whole } = result
  printResult(
    io,
    flags,
    result,
    `${counted(removed)} of verify removed.`,
    ...(left > 0 ? [`Not removed: ${counted(left)} with unsettled work or sends.`] : []),
    ...(whole ? [] : [NOT_WHOLE]),
  )
}

async function isOfVerify(store: Store, { seq, deliveryId, items }: DeliveryRow): Promise<boolean> {
  const customers = items.map(({ customer }) => customer).filter((customer) => customer !== undefined)
  const needsBytes = deliveryId === undefined && customers.length === 0
  const body = needsBytes ? (await store.deliveryDetail(seq))?.body : undefined
  return isFromMatrix({ deliveryId, customers, body })
}

/** Printed if the write-ahead log could not be truncated, because another process reads the database. */
const NOT_WHOLE =
  'The app is reading, so traces stay in the log beside the database until its maintenance truncates that log.'

interface ForgetFlags extends DatabaseFlags {
  readonly yes?: boolean
}

export async function forget(io: Io, digits: string, flags: ForgetFlags): Promise<void> {
  await withStore(io, flags, async (store) => {
    const customer = await store.customerNamed(digits)
    const forms = customer === digits ? undefined : [customer, digits]
    const kept = await store.countKept(customer)
    const numbers = Object.keys(kept.numbers)
    const before = countsOn(numbers, kept)
    if (!flags.yes)
      throw new RefusedForSafety(
        `this would erase everything stored about ${maskPhone(customer)} (${countsOf(before)}), and cannot be undone: pass --yes`,
      )
    // A delivery without items belongs to no number. `forget` on any number erases it too.
    for (const number of numbers.length > 0 ? numbers : ['default'])
      await store.forget({ number, customer, forms }, store.clock())
    for await (const _ of erasing(store));
    // Prunes rows of any age, so that this command frees their space at once.
    for await (const _ of pruning(store, { bytesBefore: 0, idsBefore: 0, now: store.clock() }));
    const { whole } = await store.compact()
    const after = countsOn(numbers, await store.countKept(customer))
    const gone = Object.entries(before).map(([what, count]) => [what, Math.max(0, count - (after[what] ?? 0))] as const)
    const erased: Counts = Object.fromEntries(gone)
    const left = (after['items'] ?? 0) + (after['sends'] ?? 0)
    const lines = [`Erased for ${maskPhone(customer)}: ${countsOf(erased)}.`]
    if (left > 0) lines.push(`Still under way: ${left}. The app erases these within an hour after they end.`)
    if (whole === false) lines.push(NOT_WHOLE)
    printResult(io, flags, { customer: maskPhone(customer), erased, left, whole }, ...lines)
  })
}

type Counts = Readonly<Record<string, number>>

function countsOn(numbers: readonly string[], kept: Awaited<ReturnType<Store['countKept']>>): Counts {
  const sums: Record<string, number> = {}
  for (const number of numbers)
    for (const [what, count] of Object.entries(kept.numbers[number] ?? {})) sums[what] = (sums[what] ?? 0) + count
  return { ...sums, unread: kept.naming }
}

function countsOf(counts: Counts): string {
  const some = Object.entries(counts).filter(([, count]) => count > 0)
  return some.map(([name, count]) => `${name}: ${count}`).join(', ') || 'nothing'
}
