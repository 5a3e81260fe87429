import { type Duration, toMs } from '../../base/duration.ts'
import { checkIdsAge, pruning } from '../../maintenance/maintenance.ts'
import type { DeliveryRow, Pruned, Store } from '../../stores/port/index.ts'
import { isFromMatrix } from '../../verify/mark.ts'
import { type DatabaseFlags, withStore } from '../support/database.ts'
import type { Io } from '../support/io.ts'
import { printResult } from '../support/output.ts'
import { pages } from './select.ts'

interface PruneFlags extends DatabaseFlags {
  readonly olderThan: Duration
  readonly bytesOlderThan: Duration
  readonly verify?: boolean
  readonly dryRun?: boolean
}

/** Removes now what the app's maintenance removes by its retention, or what `switchhook verify` left. */
export async function prune(io: Io, flags: PruneFlags): Promise<void> {
  await (flags.verify ? pruneVerify(io, flags) : pruneByAge(io, flags))
}

async function pruneVerify(io: Io, flags: PruneFlags): Promise<void> {
  const { dryRun = false } = flags
  const result = await withStore(io, flags, async (store) => {
    const pruned = await pruneOfVerify(store, dryRun)
    return { dryRun, ...pruned, whole: dryRun ? undefined : (await store.compact()).whole }
  })
  const { removed, left, whole } = result
  printResult(
    io,
    flags,
    result,
    `${deliveries(removed)} of verify ${dryRun ? 'would go, if settled' : 'went altogether'}.`,
    ...(left > 0 ? [`Left alone: ${deliveries(left)} with work or a send that is not settled.`] : []),
    ...(whole === false ? [NOT_WHOLE] : []),
  )
}

/**
 * Removes what `switchhook verify` left, also what waits for a person; a dry run counts alone. `left` counts those that
 * are not at rest.
 */
async function pruneOfVerify(store: Store, dryRun: boolean) {
  const pruned = { removed: 0, left: 0 }
  // The newest first: a delivery stays while a later one that resembles it does.
  for await (const page of pages(store, {})) {
    const seqs: number[] = []
    for (const delivery of page) if (await isOfVerify(store, delivery)) seqs.push(delivery.seq)
    const { length } = dryRun ? seqs : await store.discard(seqs)
    pruned.removed += length
    pruned.left += seqs.length - length
  }
  return pruned
}

async function isOfVerify(store: Store, { seq, deliveryId, items }: DeliveryRow): Promise<boolean> {
  const customers = items.map(({ customer }) => customer).filter((customer) => customer !== undefined)
  const needsBytes = deliveryId === undefined && customers.length === 0
  const body = needsBytes ? (await store.deliveryDetail(seq))?.body : undefined
  return isFromMatrix({ deliveryId, customers, body })
}

async function pruneByAge(io: Io, flags: PruneFlags): Promise<void> {
  const idsMs = toMs(flags.olderThan, '--older-than')
  checkIdsAge(idsMs, '--older-than')
  const bytesMs = Math.min(toMs(flags.bytesOlderThan, '--bytes-older-than'), idsMs)
  const { dryRun = false } = flags
  const { wiped, removed, whole } = await withStore(io, flags, async (store) => {
    const now = store.clock()
    const ages = { bytesBefore: now - bytesMs, idsBefore: now - idsMs }
    if (dryRun) return { ...(await store.prunable(ages)), whole: undefined }
    return { ...(await pruneAll(store, { ...ages, now })), whole: (await store.compact()).whole }
  })
  const [did, done] = dryRun ? ['would lose', 'would go'] : ['lost', 'went']
  const sentence = `${deliveries(wiped)} ${did} the bytes, ${removed} ${done} altogether.`
  printResult(io, flags, { dryRun, wiped, removed, whole }, sentence, ...(whole === false ? [NOT_WHOLE] : []))
}

/** Prunes to the end and counts the deliveries that lost their bytes and those that were removed. */
export async function pruneAll(
  store: Pick<Store, 'prune'>,
  ages: { readonly bytesBefore: number; readonly idsBefore: number; readonly now: number },
): Promise<Pick<Pruned, 'wiped' | 'removed'>> {
  let [wiped, removed] = [0, 0]
  for await (const pruned of pruning(store, ages)) {
    wiped += pruned.wiped
    removed += pruned.removed
  }
  return { wiped, removed }
}

/** Shown if a reading process keeps removed data in the write-ahead log beside the database. */
export const NOT_WHOLE =
  'The app is reading, so traces stay in the log beside the database until its maintenance truncates that log.'

function deliveries(count: number): string {
  return `${count} ${count === 1 ? 'delivery' : 'deliveries'}`
}
