import type { Accepted, Beginning, Ingested, Mute, NewDelivery, NewItem, OpenConversation } from '../../port/index.ts'
import { placeItem } from '../../rules/ingest.ts'
import { startedItem } from '../../operations/items/insert-item.ts'
import { itemId } from '../../operations/items/item-ids.ts'
import { customerLane, newFence } from '../../operations/lanes/lanes.ts'
import { windowIn } from '../../operations/lanes/windows.ts'
import type { HotTx } from '../transaction.ts'
import { ACCEPT, type Arrival, ARRIVAL, type StoredRow } from './accept-statement.ts'
import { type HotStatement, ODD } from './hot.ts'
import { listsOf } from './rows.ts'
import { openWith } from './talks.ts'
import { keepStatuses, plainStatuses } from './statuses.ts'

/** An acceptance in its ordinary case: nobody holds a key of it, and it is one item at most. */
export interface Accepting {
  readonly delivery: ClearDelivery
  /** Undefined: it is left pending. */
  readonly ingested: Ingested | undefined
  readonly begin: Beginning | undefined
}

type ClearDelivery = NewDelivery & { readonly deliveryId: string; readonly event: string }

/** Undefined if the delivery is none that the statement can store. */
export function acceptingOf(
  delivery: NewDelivery,
  { ingested, begin }: { readonly ingested?: Ingested; readonly begin?: Beginning } = {},
): Accepting | undefined {
  const { deliveryId, event, stale, unclear } = delivery
  if (stale === true || unclear !== undefined || deliveryId === undefined || event === undefined) return undefined
  if (ingested && !isPlain(ingested)) return undefined
  return { delivery: { ...delivery, deliveryId, event }, ingested, begin }
}

function isPlain({ items, windows, mutes = [] }: Ingested): boolean {
  return (
    mutes.length === 0 &&
    items.length <= 1 &&
    items.every(({ idx, burst }) => idx === 0 && burst === undefined) &&
    windows.length <= 1 &&
    windows.every(({ closing }) => closing === undefined)
  )
}

/** Stores a group of deliveries with their items, takes the lanes that are idle, and begins an item in each. */
export const acceptAll: HotStatement<Accepting, Accepted> = {
  name: 'accept',
  // The index of identities would refuse the whole group.
  keysOf: ({ ingested }) =>
    ingested?.items.flatMap(({ number, identity }) => (identity ? [`${number} ${identity.key}`] : [])) ?? [],
  atOf: ({ ingested }) => ingested?.items[0]?.at ?? 0,
  async run(tx, group, waited) {
    const ordinary = await withPlainStatuses(tx, withoutRepeats(group))
    const beginning = beginnings(ordinary)
    const rows = ordinary.map((one, index) => arrivalOf(one, beginning.get(index), waited(group.indexOf(one))))
    const answers = new Map<Accepting, Accepted>()
    try {
      const stored = await tx.rows<StoredRow>(ACCEPT, listsOf(ARRIVAL, rows))
      const open = await openWith(
        tx,
        stored.flatMap(({ n, began, talks }) => (began && talks ? (ordinary[n - 1]?.ingested?.items ?? []) : [])),
      )
      for (const row of stored) {
        const accepting = ordinary[row.n - 1] as Accepting
        answers.set(accepting, answerOf(tx, accepting, row, rows[row.n - 1] as Arrival, open))
      }
      await keepStatuses(tx, [...answers.keys()].flatMap(statusesOf))
    } catch (error) {
      answers.clear()
      throw error
    } finally {
      for (const [index] of beginning) {
        const accepting = ordinary[index] as Accepting
        if (answers.get(accepting)?.started === undefined) giveBack(accepting)
      }
    }
    return group.map((accepting) => answers.get(accepting) ?? ODD)
  },
}

/** The first under each key: the others are repeats of it, which are counted once it is stored. */
function withoutRepeats(group: readonly Accepting[]): readonly Accepting[] {
  const keys = new Set<string>()
  return group.filter(({ delivery: { subscription, deliveryId, timestamp, digest } }) => {
    const id = `${subscription} ${deliveryId}`
    const signed = `${subscription} ${timestamp} ${Buffer.from(digest).toString('latin1')}`
    if (keys.has(id) || keys.has(signed)) return false
    keys.add(id).add(signed)
    return true
  })
}

/** Those that say nothing about a send, or about one that is known. */
async function withPlainStatuses(tx: HotTx, group: readonly Accepting[]): Promise<readonly Accepting[]> {
  const plain = await plainStatuses(
    tx,
    group.flatMap(({ ingested }) => ingested?.statuses ?? []),
  )
  return group.filter(({ ingested }) => ingested?.statuses.every((status) => plain.has(status)) ?? true)
}

function statusesOf({ delivery: { receivedAt }, ingested }: Accepting) {
  return ingested?.statuses.map((status) => ({ status, receivedAt })) ?? []
}

function giveBack({ begin, ingested }: Accepting): void {
  const [item] = ingested?.items ?? []
  if (item) begin?.room.give(item.number)
}

/** By their places in the group, the items that may begin, with their tokens: the first of each lane, if there is room. */
function beginnings(group: readonly Accepting[]): ReadonlyMap<number, number> {
  const lanes = new Set<string>()
  const tokens = new Map<number, number>()
  group.forEach(({ ingested, begin }, index) => {
    const [item] = ingested?.items ?? []
    if (item?.state !== 'stored') return
    const isFirst = item.lane === undefined || !lanes.has(item.lane)
    if (item.lane !== undefined) lanes.add(item.lane)
    if (isFirst && begin?.room.take(item.number)) tokens.set(index, newFence(item.lane ?? '', begin.owner).token)
  })
  return tokens
}

function arrivalOf({ delivery, ingested, begin }: Accepting, token: number | undefined, waitedMs: number): Arrival {
  const { subscription, deliveryId, event, timestamp, digest, receivedAt, clockOffset, body, trace } = delivery
  const [item] = ingested?.items ?? []
  const [window] = ingested?.windows ?? []
  const placed = item && placeItem(item, item.identity && 'free', undefined)
  const isRead = ingested !== undefined && ingested.state !== 'ingested'
  return {
    subscription,
    delivery_id: deliveryId,
    event,
    timestamp,
    digest,
    received_at: receivedAt,
    clock_offset: clockOffset,
    trace,
    body,
    facts: item?.facts,
    delivery_state: isRead ? ingested.state : 'stored',
    note: isRead ? ingested.note : undefined,
    // Nothing resembles a delivery that has just come, so none is promoted in its place.
    own_event: isRead ? ingested.ownEvent : undefined,
    pending: ingested === undefined,
    kind: item?.kind,
    number: item?.number,
    customer: item?.customer,
    lane: item?.lane,
    at: item?.at,
    cause: placed?.cause,
    identity: item?.identity?.key,
    binding: item?.identity?.binding,
    item_state: placed?.state,
    reason: item?.reason,
    waits: placed?.waits ?? false,
    window_lane: window && customerLane(window),
    last_at: window?.lastAt,
    owner: token === undefined ? undefined : begin?.owner,
    token,
    until: token === undefined || begin === undefined ? undefined : begin.now + waitedMs + begin.leaseMs,
  }
}

function answerOf(
  tx: HotTx,
  { delivery, ingested, begin }: Accepting,
  row: StoredRow,
  arrival: Arrival,
  open: ReadonlyMap<NewItem, OpenConversation | undefined>,
): Accepted {
  const { seq, began } = row
  if (ingested === undefined || (arrival.waits && !began)) tx.wake('items')
  if (ingested === undefined) return { as: 'stored', seq }
  const [item] = ingested.items
  if (!began || !item || !begin) return { as: 'stored', seq, ingested: [] }
  const { number, customer, identity } = item
  const { lane, token } = row
  const mute: Mute | undefined =
    row.why === null || customer === undefined
      ? undefined
      : { number, customer, why: row.why, since: row.since, until: row.ends }
  const work = {
    ...startedItem(
      item,
      placeItem(item, identity && 'free', undefined),
      itemId(seq, 0),
      { ...delivery, seq },
      customer === undefined ? {} : windowIn(row),
    ),
    mute,
    conversation: open.get(item),
  }
  return { as: 'stored', seq, ingested: [], started: { fence: { lane, owner: begin.owner, token }, work } }
}
