import type { DeliveryRow, InboxState, ItemRow } from '../../stores/port/index.ts'
import type { InboxReader } from '../../stores/sqlite/read-inbox.ts'
import { pages } from './filters.ts'
import { listedItem, type Reveal } from './shown.ts'
import { NEEDS_A_PERSON } from './words.ts'

/** One thing that happened to a delivery, or to an item of it. */
export interface Happening {
  readonly seq: number
  readonly id: string | undefined
  readonly event: string | undefined
  readonly subscription: string
  /** `received`, `told again`, or the state that an item or the delivery has now. */
  readonly what: string
  readonly note?: string | undefined
  readonly idx?: number
  readonly number?: string
  readonly customer?: string | undefined
  readonly attempts?: number
  readonly retryAt?: string | undefined
  readonly reason?: string | undefined
}

type Inbox = Pick<InboxReader, 'listDeliveries' | 'deliveries'>

/** States that are not the last: what is in one of them is looked at again. */
const MAY_CHANGE = ['stored', 'running', 'retry', ...NEEDS_A_PERSON] as const satisfies readonly InboxState[]
/** So many are looked at again at each look; of more, the newest. */
const WATCHED = 1_000

/** Tells what has happened since the last look; what stood there before it began is no news. */
export async function createFollower(inbox: Inbox) {
  const watched = new Map<number, DeliveryRow>()
  const [newest] = (await inbox.listDeliveries({ limit: 1 })).deliveries
  let last = newest?.seq ?? 0
  for await (const page of pages(inbox, { states: MAY_CHANGE }, WATCHED))
    for (const one of page) watched.set(one.seq, one)

  return {
    async look(from: Inbox, reveal: Reveal): Promise<Happening[]> {
      const known = await from.deliveries([...watched.keys()])
      const fresh: DeliveryRow[] = []
      for await (const page of pages(from, { newerThan: last })) fresh.push(...page)
      last = Math.max(last, fresh[0]?.seq ?? 0)
      const all = [...fresh, ...known].reverse()
      const happenings = all.flatMap((now) => happened(watched.get(now.seq), now, reveal))
      watched.clear()
      for (const one of [...fresh, ...known].filter(mayChange).slice(0, WATCHED)) watched.set(one.seq, one)
      return happenings
    },
  }
}

function mayChange(delivery: DeliveryRow): boolean {
  const states: readonly string[] = MAY_CHANGE
  return (
    delivery.pending ||
    (delivery.items.length > 0 ? delivery.items : [delivery]).some(({ state }) => states.includes(state))
  )
}

/** What is different now, in the order in which it comes about. */
function happened(before: DeliveryRow | undefined, now: DeliveryRow, reveal: Reveal): Happening[] {
  const about = { seq: now.seq, id: now.deliveryId, event: now.event, subscription: now.subscription }
  const happenings: Happening[] = []
  if (!before) happenings.push({ ...about, what: 'received' })
  if (now.repeats > (before?.repeats ?? 0)) happenings.push({ ...about, what: 'told again' })
  if (now.state !== (before?.state ?? 'stored')) happenings.push({ ...about, what: now.state, note: now.note })
  const items = new Map(before?.items.map((item) => [item.id, item]))
  for (const item of now.items) {
    const earlier = items.get(item.id)
    if (!earlier ? item.state !== 'stored' : changed(earlier, item))
      happenings.push({ ...about, ...told(item, reveal) })
  }
  return happenings
}

function changed(before: ItemRow, now: ItemRow): boolean {
  return before.state !== now.state || before.attempts !== now.attempts || before.createdAt !== now.createdAt
}

function told(item: ItemRow, reveal: Reveal) {
  const { state, kind: _, ...shown } = listedItem(item, reveal)
  return { what: state, ...shown }
}
