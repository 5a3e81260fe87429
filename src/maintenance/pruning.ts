import { type Duration, toMs } from '../base/duration.ts'
import { SwitchhookError } from '../base/errors.ts'
import type { Pruned, Pruning, Store } from '../stores/port/index.ts'

/** Deliveries in one transaction: a few milliseconds, in which nothing else is stored. */
const AT_ONCE = 100

/** Prunes by age, a transaction at a time, each when the one before was looked at: who looks no longer ends it. */
export async function* pruning(
  store: Pick<Store, 'prune'>,
  ages: Pick<Pruning, 'bytesBefore' | 'idsBefore' | 'now'>,
): AsyncGenerator<Pruned, void, void> {
  let after: Pruned['next']
  do {
    const pruned: Pruned = await store.prune({ ...ages, limit: AT_ONCE, ...(after && { after }) })
    yield pruned
    after = pruned.next
  } while (after)
}

/** Twice the 300 s by which a timestamp may be off: what is forgotten sooner could be replayed. */
const IDS_AT_LEAST: Duration = '10m'

/**
 * Checks after how many milliseconds ids are forgotten; `name` is what the app or the operator has called that.
 *
 * @throws SwitchhookError `options_invalid` where a replay of the delivery still passes then.
 */
export function checkIdsAge(idsMs: number, name: string): void {
  if (idsMs >= toMs(IDS_AT_LEAST)) return
  throw new SwitchhookError(
    'options_invalid',
    `${name}: expected at least ${IDS_AT_LEAST}, since a delivery of that age may come again`,
  )
}
