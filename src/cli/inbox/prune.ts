import { type Duration, toMs } from '../../base/duration.ts'
import { SwitchhookError } from '../../base/errors.ts'
import type { Pruned, PruneMark, Store } from '../../stores/port/index.ts'
import { type DatabaseFlag, working } from '../database.ts'

export interface PruneFlags extends DatabaseFlag {
  readonly olderThan: Duration
  readonly bytesOlderThan: Duration
  readonly dryRun?: boolean
  readonly json?: boolean
}

/** Twice the 300 s by which a timestamp may be off: what is forgotten sooner could be replayed. */
const IDS_AT_LEAST: Duration = '10m'

/** `switchhook inbox prune`: what the app's upkeep does by its retention, now. */
export async function prune(flags: PruneFlags): Promise<void> {
  const idsMs = toMs(flags.olderThan, '--older-than')
  if (idsMs < toMs(IDS_AT_LEAST))
    throw new SwitchhookError(
      'options_invalid',
      `--older-than: expected at least ${IDS_AT_LEAST}, since a delivery of that age may come again`,
    )
  const bytesMs = Math.min(toMs(flags.bytesOlderThan, '--bytes-older-than'), idsMs)
  const { wiped, removed, whole } = await working(flags, async (store) => {
    const now = Date.now()
    const ages = { bytesBefore: now - bytesMs, idsBefore: now - idsMs }
    if (flags.dryRun) return { ...(await store.prunable(ages)), whole: undefined }
    const pruned = await pruneAll(store, { ...ages, now })
    return { ...pruned, whole: (await store.tidy()).whole }
  })
  if (flags.json) process.stdout.write(`${JSON.stringify({ dryRun: flags.dryRun ?? false, wiped, removed, whole })}\n`)
  else process.stderr.write(`${wordsFor(wiped, removed, whole)}\n`)
}

/** Deliveries in one transaction: a few milliseconds, in which the app stores nothing else. */
const AT_ONCE = 100

export async function pruneAll(
  store: Pick<Store, 'prune'>,
  ages: { readonly bytesBefore: number; readonly idsBefore: number; readonly now: number },
): Promise<Pick<Pruned, 'wiped' | 'removed'>> {
  let [wiped, removed] = [0, 0]
  let after: PruneMark | undefined
  do {
    const pruned = await store.prune({ ...ages, limit: AT_ONCE, ...(after && { after }) })
    wiped += pruned.wiped
    removed += pruned.removed
    after = pruned.next
  } while (after)
  return { wiped, removed }
}

/** Told where a process that reads keeps what was removed in the log beside the database. */
export const NOT_WHOLE =
  'The app reads meanwhile, so traces stay in the log beside the database until its upkeep cuts that.'

function wordsFor(wiped: number, removed: number, whole: boolean | undefined): string {
  const [did, done] = whole === undefined ? ['would lose', 'would go'] : ['lost', 'went']
  const words = `${wiped} ${wiped === 1 ? 'delivery' : 'deliveries'} ${did} the bytes, ${removed} ${done} altogether.`
  return whole === false ? `${words}\n${NOT_WHOLE}` : words
}
