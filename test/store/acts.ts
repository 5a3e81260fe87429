import type { Store } from '../../src/store/store.ts'
import { type Changes, claim, delivery, DONE, ingested, item, T0 } from './samples.ts'
import type { WindowMove } from '../../src/store/customers/customer.ts'
import type { NewDelivery } from '../../src/store/inbox/accept.ts'
import type { NewSend } from '../../src/store/outbox/rows.ts'
import type { DeliveryRow, ItemRow } from '../../src/store/reads/deliveries.ts'
import type { SendRow } from '../../src/store/database/outbox-tables.ts'
import type { NewItem, StartedItem } from '../../src/store/work/items.ts'
import type { Claim, Fence, Next } from '../../src/store/work/lanes.ts'
import type { Settlement } from '../../src/store/work/settle.ts'
import type { DueSend } from '../../src/store/outbox/send-attempts.ts'

/** Stores a new delivery and ingests it into these items; the answer is its seq. */
export async function arrive(
  store: Store,
  items: readonly NewItem[],
  now = T0,
  windows: readonly WindowMove[] = [],
): Promise<number> {
  const seq = await seqOf(store, delivery())
  await store.ingest(seq, { ...ingested(...items), windows }, now)
  return seq
}

/** Stores a delivery; the answer is its seq. */
export async function seqOf(store: Store, given: NewDelivery): Promise<number> {
  await store.accept(given)
  const stored = (await store.unread(1_000)).find(({ deliveryId }) => deliveryId === given.deliveryId)
  if (!stored) throw new Error('the delivery is not pending')
  return stored.seq
}

/** Every delivery in the store, oldest first. */
export async function inboxOf(store: Store): Promise<readonly DeliveryRow[]> {
  return (await store.listDeliveries({ limit: 10_000 })).deliveries.toReversed()
}

/** Every item in the store, in the order of arrival. */
export async function itemsOf(store: Store): Promise<readonly ItemRow[]> {
  return (await inboxOf(store)).flatMap(({ items }) => items)
}

/** Every send in the store, in the order of recording. */
export async function outboxOf(store: Store): Promise<readonly SendRow[]> {
  return (await store.listSends({ limit: 10_000 })).sends.toReversed()
}

/** The only item that a claim begins. */
export async function begin(store: Store, given: Changes<Claim> = {}): Promise<{ fence: Fence; item: StartedItem }> {
  const { begun } = await store.claimItems(claim(given))
  const [only] = begun
  if (begun.length !== 1 || !only) throw new Error(`expected one item, ${begun.length} were begun`)
  return { fence: only.fence, item: only.work }
}

/** Stores a delivery of these items, and begins the only one that a claim begins. */
export async function beginNew(store: Store, items: readonly NewItem[] = [item()], given: Changes<Claim> = {}) {
  await arrive(store, items)
  return begin(store, given)
}

/** Settles an item that has begun; by default as done, and nothing begins behind it. */
export function settle(
  store: Store,
  { fence, item: { id } }: { readonly fence: Fence; readonly item: Pick<StartedItem, 'id'> },
  settlement: Settlement = DONE,
  next: Changes<Next> = {},
) {
  return store.settleItem(fence, id, settlement, { now: T0, goOn: false, ...next })
}

/** Begins the only item that waits, and settles it. */
export async function handle(
  store: Store,
  settlement: Settlement = DONE,
  given: Changes<Claim> = {},
): Promise<StartedItem> {
  const begun = await begin(store, given)
  await settle(store, begun, settlement, { now: given.now ?? T0 })
  return begun.item
}

/** The only send that a claim gives. */
export async function dueSend(store: Store, given: Changes<Claim> = {}): Promise<{ fence: Fence; due: DueSend }> {
  const { begun } = await store.claimSends(claim(given))
  const [only] = begun
  if (begun.length !== 1 || !only) throw new Error(`expected one send, ${begun.length} were due`)
  return { fence: only.fence, due: only.work }
}

/** Records a send and begins its first attempt. */
export async function attempting(store: Store, one: NewSend, given: Changes<Claim> = {}): Promise<Fence> {
  await store.openSend(one)
  const { fence } = await dueSend(store, given)
  await store.beginSend(fence, one.id, one.via, given.now ?? T0)
  return fence
}
