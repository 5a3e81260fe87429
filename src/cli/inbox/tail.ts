import { setTimeout as sleep } from 'node:timers/promises'
import type { DeliveryRow, InboxState, ItemRow } from '../../stores/port/index.ts'
import type { Reader } from '../../stores/port/reader.ts'
import { type DatabaseFlags, withReader } from '../support/database.ts'
import type { Io } from '../support/io.ts'
import { iso } from '../../inspect/iso.ts'
import { oneLine } from '../support/output.ts'
import { listenForSignals } from '../support/signals.ts'
import { pages } from './select.ts'
import { NEEDS_A_PERSON } from '../../inspect/delivery-states.ts'
import { itemSummaryOf } from '../../inspect/delivery-view.ts'
import type { Reveal } from '../../inspect/mask.ts'

const LOOK_EVERY_MS = 200

/** Prints deliveries as they arrive and change, until a signal. */
export async function tail(io: Io, flags: DatabaseFlags & Reveal): Promise<void> {
  using signals = listenForSignals()
  let code: number | undefined
  const stopped = signals.stopped.then((told) => {
    code = told
  })
  await withReader(io, flags, async (reader) => {
    const follower = await createFollower(reader)
    io.err('Following the inbox; Ctrl-C ends it.')
    let seen: number | string | undefined
    while (code === undefined) {
      const version = await reader.version()
      if (version !== seen) await printChanges(io, reader, follower, flags)
      seen = version
      await Promise.race([stopped, sleep(LOOK_EVERY_MS)])
    }
  })
  io.exitCode = code ?? 0
}

async function printChanges(
  io: Io,
  reader: Reader,
  follower: Awaited<ReturnType<typeof createFollower>>,
  flags: DatabaseFlags & Reveal,
) {
  for (const happening of await follower.look(reader, flags)) {
    const line = { at: iso(Date.now()), ...happening }
    io.out(flags.json ? JSON.stringify(line) : changeText(line))
  }
}

function changeText({ at = '', ...happening }: InboxChange & { at: string | undefined }): string {
  const { seq, event = '-', what, customer, attempts, retryAt, reason, note } = happening
  const about = [
    customer,
    attempts !== undefined && attempts > 0 ? `attempt ${attempts}` : undefined,
    retryAt && `again at ${retryAt}`,
    note,
    reason,
  ].filter((one) => one !== undefined)
  const named = happening.idx === undefined || happening.idx === 0 ? `${seq}` : `${seq}.${happening.idx}`
  return oneLine(`${at.slice(11)}  ${named}  ${event}  ${what}${about.length > 0 ? `  ${about.join('  ')}` : ''}`)
}

interface InboxChange {
  readonly seq: number
  readonly id: string | undefined
  readonly event: string | undefined
  readonly subscription: string
  /** `received`, `told again`, or the new state of the item or the delivery. */
  readonly what: string
  readonly note?: string | undefined
  readonly idx?: number
  readonly number?: string
  readonly customer?: string | undefined
  readonly attempts?: number
  readonly retryAt?: string | undefined
  readonly reason?: string | undefined
}

type Inbox = Pick<Reader, 'listDeliveries' | 'deliveries'>

/** States that are not final, so deliveries in them are watched. */
const MAY_CHANGE = ['stored', 'running', 'retry', ...NEEDS_A_PERSON] as const satisfies readonly InboxState[]

/** The most deliveries to watch; if there are more, the newest. */
const WATCHED = 1_000

/** Finds the changes since the last look. Deliveries that existed before are no change. */
async function createFollower(inbox: Inbox) {
  const watched = new Map<number, DeliveryRow>()
  const [newest] = (await inbox.listDeliveries({ limit: 1 })).deliveries
  let last = newest?.seq ?? 0
  for await (const page of pages(inbox, { states: MAY_CHANGE }, WATCHED))
    for (const one of page) watched.set(one.seq, one)

  return {
    async look(from: Inbox, reveal: Reveal): Promise<InboxChange[]> {
      const known = await from.deliveries([...watched.keys()])
      const fresh: DeliveryRow[] = []
      for await (const page of pages(from, { newerThan: last })) fresh.push(...page)
      last = Math.max(last, fresh[0]?.seq ?? 0)
      const all = [...fresh, ...known].reverse()
      const happenings = all.flatMap((now) => changesOf(watched.get(now.seq), now, reveal))
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

/** The changes between two looks, in the order in which they come about. */
function changesOf(before: DeliveryRow | undefined, now: DeliveryRow, reveal: Reveal): InboxChange[] {
  const about = { seq: now.seq, id: now.deliveryId, event: now.event, subscription: now.subscription }
  const happenings: InboxChange[] = []
  if (!before) happenings.push({ ...about, what: 'received' })
  if (now.repeats > (before?.repeats ?? 0)) happenings.push({ ...about, what: 'told again' })
  if (now.state !== (before?.state ?? 'stored')) happenings.push({ ...about, what: now.state, note: now.note })
  const items = new Map(before?.items.map((item) => [item.id, item]))
  for (const item of now.items) {
    const earlier = items.get(item.id)
    if (!earlier ? item.state !== 'stored' : changed(earlier, item))
      happenings.push({ ...about, ...itemView(item, reveal) })
  }
  return happenings
}

function changed(before: ItemRow, now: ItemRow): boolean {
  return before.state !== now.state || before.attempts !== now.attempts || before.createdAt !== now.createdAt
}

function itemView(item: ItemRow, reveal: Reveal) {
  const { state, kind: _, ...shown } = itemSummaryOf(item, reveal)
  return { what: state, ...shown }
}
