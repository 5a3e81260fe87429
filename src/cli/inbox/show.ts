import type { DeliveryRow, Failure, ItemRow } from '../../stores/port/index.ts'
import { type DatabaseFlags, withReader } from '../support/database.ts'
import type { Io } from '../support/io.ts'
import { iso } from '../../inspect/iso.ts'
import { age, table } from '../support/output.ts'
import { findDeliveries } from './select.ts'
import {
  burstText,
  isOwn,
  itemText,
  isRetryable,
  STATE_EXPLANATIONS,
  countStates,
  stateText,
  toldOf,
} from '../../inspect/delivery-states.ts'
import { detailsOf } from '../../inspect/delivery-view.ts'
import type { Reveal } from '../../inspect/mask.ts'

/** Prints everything about a delivery, and about other deliveries with the same id. */
export async function show(io: Io, idOrSeq: string, flags: DatabaseFlags & Reveal): Promise<void> {
  await withReader(io, flags, async (reader) => {
    const now = Date.now()
    const blocks: string[] = []
    for (const delivery of await findDeliveries(reader, idOrSeq)) {
      const detail = await reader.deliveryDetail(delivery.seq)
      if (!detail) continue
      const shown = detailsOf(delivery, detail, now, flags)
      const [resembled] = delivery.resembles === undefined ? [] : await reader.deliveries([delivery.resembles])
      if (flags.json) blocks.push(JSON.stringify({ ...shown, why: whyOf(delivery), possible: possibleFor(delivery) }))
      else blocks.push(linesOf(delivery, shown, resembled, now).join('\n'))
    }
    io.out(blocks.join(flags.json ? '\n' : '\n\n'))
  })
}

type Shown = ReturnType<typeof detailsOf>
type Line = readonly [name: string, value: string | undefined]

function linesOf(delivery: DeliveryRow, shown: Shown, resembled: DeliveryRow | undefined, now: number): string[] {
  const rows: Line[] = [
    ['seq', String(shown.seq)],
    ['id', shown.id ?? '-'],
    ['state', stateText(delivery)],
    ...whyOf(delivery).map((why): Line => ['why', why]),
    ['note', shown.note],
    ['can be done', possibleFor(delivery) ?? 'nothing'],
    ['event', shown.event ?? '-'],
    ...(isOwn(delivery)
      ? [['told by', toldOf(delivery)] as const]
      : [
          ['subscription', shown.subscription] as const,
          ['signed at', `${iso(shown.timestamp * 1_000)} (${shown.timestamp})`] as const,
        ]),
    ['received', `${shown.receivedAt} (${age(now - delivery.receivedAt)} ago)`],
    ['clock offset', shown.clockOffsetMs === undefined ? undefined : `${shown.clockOffsetMs} ms, an emulator's`],
    ['told again', shown.repeats === 0 ? undefined : timesOf(shown.repeats)],
    ['resembles', resemblanceOf(delivery, resembled)],
    ['resembled by', shown.resembledBy?.join(', ')],
    ['sha256', shown.sha256],
    ...delivery.items.flatMap((item, place) => itemLines(item, shown.items[place])),
    ...shown.sends.map(({ id, state }): Line => ['send', `${id} ${state}`]),
    ['body', shown.body === undefined ? 'its bytes are gone' : JSON.stringify(shown.body)],
  ]
  return table(rows.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
}

function itemLines(row: ItemRow, item: Shown['items'][number] | undefined): Line[] {
  if (!item) return []
  return [
    [`item ${item.idx}`, `${itemText(row)}; ${item.kind} of ${item.customer ?? 'nobody known'} on ${item.number}`],
    ['  burst', burstText(row)],
    ['  reason', item.reason],
    ...failureLines(item.failure),
    ['  time', item.at],
    ['  new since', item.createdAt],
    ['  settled', item.settledAt],
    ['  facts', item.facts && JSON.stringify(item.facts)],
    ['  cause', item.cause],
    ['  identity', item.identity],
    ['  finished', namesOf(item.finished)],
    ['  once', namesOf(item.once)],
  ]
}

function failureLines(failure: Failure | undefined): Line[] {
  if (!failure) return []
  const { attempt, route = 'code that belongs to no route', frames } = failure
  return [['  failed in', `${route}, attempt ${attempt}`], ...frames.map((frame): Line => ['', frame])]
}

function namesOf(names: readonly string[] | number | undefined): string | undefined {
  if (typeof names === 'number') return names === 0 ? undefined : `${names}, named with --reveal`
  return names?.join(', ') || undefined
}

/** One sentence for each state of the delivery and its items. */
function whyOf(delivery: DeliveryRow): string[] {
  return (Object.keys(countStates(delivery)) as (keyof typeof STATE_EXPLANATIONS)[]).map(
    (state) => STATE_EXPLANATIONS[state],
  )
}

function possibleFor(delivery: DeliveryRow): string | undefined {
  return isRetryable(delivery) ? `switchhook inbox retry ${delivery.seq}` : undefined
}

function resemblanceOf({ resembles }: DeliveryRow, resembled: DeliveryRow | undefined): string | undefined {
  if (resembles === undefined) return undefined
  if (!resembled) return `${resembles}, which is gone`
  return `${resembles} (${resembled.deliveryId ?? '-'}, ${resembled.event ?? '-'}): ${stateText(resembled)}`
}

function timesOf(count: number): string {
  return count === 1 ? 'once' : `${count} times`
}
