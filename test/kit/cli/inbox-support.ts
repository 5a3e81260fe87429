import type { Store } from '../../../src/store/store.ts'
import { delivery, item, ingested } from '../../store/samples.ts'
import { databaseFolder } from './database-folder.ts'
import { switchhook } from './support.ts'
import type { NewDelivery } from '../../../src/store/inbox/accept.ts'
import type { NewItem } from '../../../src/store/work/items.ts'
import type { Settlement } from '../../../src/store/work/settle.ts'

export const DEAD: Settlement = { as: 'dead', reason: 'TypeError: no price for habari yako' }

/** A folder with an app's database, and the commands that run there. */
export function inboxFolder() {
  const { file, folder, inApp } = databaseFolder()
  return {
    file,
    folder,
    inApp,
    inbox: (...args: string[]) => switchhook(['inbox', ...args], {}, folder()),

    /** A delivery that came and was ingested; its place in the inbox. */
    came: (items: readonly NewItem[], given?: Partial<NewDelivery> & { text?: string }) =>
      inApp((store) => arrived(store, items, given)),
    /** Settles each waiting item. */
    handled: (settlement: Settlement) => inApp((store) => handle(store, settlement)),
    states: () => inApp((store) => store.counts()),
  }
}

export async function arrived(
  store: Store,
  items: readonly NewItem[],
  given: Partial<NewDelivery> & { text?: string } = {},
): Promise<number> {
  const one = delivery({ receivedAt: Date.now(), timestamp: Math.floor(Date.now() / 1000), ...given })
  await store.accept(one)
  const seq = (await store.unread(99)).at(-1)?.seq ?? 0
  await store.ingest(seq, items.length > 0 ? ingested(...items) : { ...ingested(), state: 'ignored' }, one.receivedAt)
  return seq
}

export async function handle(store: Store, settlement: Settlement): Promise<void> {
  const now = Date.now()
  const { begun } = await store.claimItems({ processName: 'app', limit: 99, now, leaseMs: 10_000 })
  for (const { fence, work } of begun) await store.settleItem(fence, work.id, settlement, { now, goOn: false })
}

/** An item in its own lane, like another customer's. */
export function alone(given: Partial<NewItem> = {}): NewItem {
  const one = item(given)
  return { ...one, lane: `${one.lane}/${one.cause.signed}` }
}

export const PARKED: Partial<NewItem> = { state: 'parked', reason: 'fact_missing: customer' }
