import type { Store } from '../../../../src/store/store.ts'
import { factsOf } from '../../contract/burst-samples.ts'
import { BEGINS, beginning, delivery, ingested, item, LEASE_MS, send, T0 } from '../../samples.ts'
import type { CustomerOfNumber } from '../../../../src/store/database/customer-tables.ts'
import type { NewDelivery } from '../../../../src/store/inbox/accept.ts'
import type { Ingested } from '../../../../src/store/inbox/arrive.ts'
import type { NewSend } from '../../../../src/store/outbox/rows.ts'
import type { NewItem, StartedItem } from '../../../../src/store/work/items.ts'
import type { Begun, Claim } from '../../../../src/store/work/lanes.ts'
import type { Settlement } from '../../../../src/store/work/settle.ts'
import type { DueSend } from '../../../../src/store/outbox/send-attempts.ts'

/** What both processes of a pair are given is made once: its outcomes are compared. */

export interface Message {
  readonly delivery: NewDelivery
  readonly ingested: Ingested
}

/** A delivery with a message of one customer, which moves their window. */
export function message(text: string, given: Partial<NewItem> = {}, more: Partial<Ingested> = {}): Message {
  const one = item({
    facts: factsOf(text),
    cause: { identity: given.identity?.key, signed: `signed:${text}` },
    ...given,
  })
  return of([one], more, text)
}

export function of(items: readonly NewItem[], more: Partial<Ingested> = {}, text?: string): Message {
  const windows = items.flatMap(({ number, customer, at }) => (customer ? [{ number, customer, lastAt: at }] : []))
  return {
    delivery: delivery({ ...(text !== undefined && { text }) }),
    ingested: { ...ingested(...items), windows, ...more },
  }
}

/** With `begin` the item begins at once, if its lane is free. */
export function accepting({ delivery, ingested }: Message, processName?: string) {
  const o = { ingested, ...(processName && { begin: { ...BEGINS, processName } }) }
  return (store: Store) => store.accept(delivery, o)
}

export async function stored(store: Store, ...messages: readonly Message[]): Promise<void> {
  for (const one of messages) await accepting(one)(store)
}

/** Stored, and begun by a process. */
export async function running(store: Store, one: Message, processName = 'one'): Promise<Begun<StartedItem>> {
  const { started } = await accepting(one, processName)(store)
  if (!started) throw new Error('the item did not begin')
  return started
}

/** Stored, and not read: the id of the delivery. */
export async function storing(store: Store, one: Message): Promise<number> {
  return (await store.accept(one.delivery, {})).seq as number
}

export function begins(processName: string, now = T0) {
  return { processName, now, leaseMs: LEASE_MS }
}

export function claiming(processName: string, given: Partial<Claim> = {}) {
  return (store: Store) => store.claimItems({ ...begins(processName), limit: 9, ...given })
}

/** Handled, with this in the customer's session, of which there was none. */
export function toldIn(value: string): Settlement {
  return { as: 'done', session: { before: undefined, readAt: T0, value, version: 1, expiresAt: undefined } }
}

/** Settles what was begun, and begins what waits behind it. */
export const settling =
  (o: { readonly as?: Parameters<Store['settleItem']>[2]; readonly goOn?: boolean } = {}) =>
  (store: Store, { fence, work }: Begun<StartedItem>) =>
    store.settleItem(fence, work.id, o.as ?? { as: 'done' }, { now: T0, goOn: o.goOn ?? true })

export function opening(one: NewSend, processName?: string) {
  return (store: Store) => store.openSend(one, processName === undefined ? {} : { begin: beginning({ processName }) })
}

/** Recorded, and its request made. */
export async function attempted(store: Store, one: NewSend = send(), processName = 'one'): Promise<Begun<DueSend>> {
  const opened = await opening(one, processName)(store)
  if (!opened?.begun) throw new Error('the send did not begin')
  return opened.begun
}

type Seen = Awaited<ReturnType<Store['deskChanges']>>

/** A first look over these chats. */
export const watching = (chats: readonly CustomerOfNumber[]) => async (store: Store) => ({
  watched: await store.deskChanges(undefined, chats),
})

/** Chats that have changed since that look, and of which the next one does not tell. */
export async function missed(store: Store, answers: readonly unknown[]): Promise<unknown> {
  const seen = (answers[1] as [unknown, { watched: Seen }])[1].watched
  const now = await store.deskChanges(undefined, seen?.digests ?? [])
  const touched = (await store.deskChanges(seen?.watched, []))?.touched ?? []
  const named = new Set(touched.map(({ number, customer }) => `${number}/${customer}`))
  const changed = (now?.digests ?? []).filter(({ digest }, nth) => digest !== seen?.digests[nth]?.digest)
  return changed.map(({ number, customer }) => `${number}/${customer}`).filter((one) => !named.has(one))
}
