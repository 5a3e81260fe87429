import { maskPhone } from '../../base/mask.ts'
import { burstText, isOwn, NEEDS_A_PERSON, stateText } from '../../inspect/delivery-states.ts'
import { summaryOf } from '../../inspect/delivery-view.ts'
import { iso } from '../../inspect/iso.ts'
import { maskReason, type Reveal } from '../../inspect/mask.ts'
import { waitingBehind } from '../../base/log.ts'
import {
  type DeliveryQuery,
  type DeliveryRow,
  type Glance,
  type InboxState,
  MOST_COUNTED,
} from '../../stores/port/index.ts'
import type { Reader } from '../../stores/port/reader.ts'
import { type DatabaseFlags, withReader } from '../support/database.ts'
import { type Io, printLine } from '../support/io.ts'
import { table } from '../support/output.ts'
import { filterOf, type Filters, pages } from './select.ts'

interface ListFlags extends DatabaseFlags, Filters, Reveal {
  readonly state?: InboxState
  readonly limit: number
}

/** Prints a count of what needs a person, then the deliveries, newest first. */
export async function list(io: Io, flags: ListFlags): Promise<void> {
  await withReader(io, flags, async (reader) => {
    const now = Date.now()
    const { resting } = await reader.glance()
    const query: Omit<DeliveryQuery, 'limit'> = {
      ...filterOf(flags, now),
      ...(flags.state && { states: [flags.state] }),
    }
    if (flags.json) await printJson(io, reader, query, resting, flags, now)
    else await printTable(io, reader, query, resting, flags)
  })
}

type Resting = Glance['resting']

type Query = Omit<DeliveryQuery, 'limit'>

async function printJson(io: Io, reader: Reader, query: Query, resting: Resting, flags: ListFlags, now: number) {
  await printLine(io, JSON.stringify({ kind: 'waiting', ...resting }))
  for await (const page of pages(reader, query, flags.limit))
    for (const delivery of page) await printLine(io, JSON.stringify(summaryOf(delivery, now, flags)))
}

async function printTable(io: Io, reader: Reader, query: Query, resting: Resting, flags: ListFlags) {
  const rows: string[][] = []
  for await (const page of pages(reader, query, flags.limit)) rows.push(...page.map((one) => rowOf(one, flags)))
  const parts = NEEDS_A_PERSON.filter((state) => resting[state] > 0).map(
    (state) => `${counted(resting[state])} ${state}`,
  )
  if (parts.length > 0) io.out(`Waiting for a person: ${parts.join(', ')}\n  ${TO_DO}\n`)
  if (rows.length > 0) io.out(table([HEAD, ...rows]).join('\n'))
  else io.err('No such delivery.')
  if (rows.length === flags.limit) io.err(`The newest ${flags.limit}; --limit shows more.`)
}

function counted(resting: number): string {
  return resting < MOST_COUNTED ? String(resting) : `${MOST_COUNTED} or more`
}

const TO_DO = 'To do: `switchhook inbox ls --state …` lists them, `show` says why, `retry` puts them back'

const HEAD = ['SEQ', 'ID', 'EVENT', 'SUBSCRIPTION', 'RECEIVED', 'CUSTOMER', 'STATE', 'ATTEMPTS', 'REPEATS', 'NOTE']

function rowOf(delivery: DeliveryRow, reveal: Reveal): string[] {
  const { items } = delivery
  return [
    String(delivery.seq),
    delivery.deliveryId ?? '-',
    delivery.event ?? '-',
    isOwn(delivery) ? '-' : delivery.subscription,
    iso(delivery.receivedAt) ?? '',
    customersIn(delivery, reveal),
    stateText(delivery),
    String(Math.max(0, ...items.map(({ attempts }) => attempts))),
    String(delivery.repeats),
    notesOn(delivery, reveal),
  ]
}

const MOST_NAMED = 3

function customersIn({ items }: DeliveryRow, { reveal }: Reveal): string {
  const all = [...new Set(items.flatMap(({ customer }) => (customer === undefined ? [] : [customer])))]
  const named = all.slice(0, MOST_NAMED).map((customer) => (reveal ? customer : maskPhone(customer)))
  const more = all.length - named.length
  return [...named, ...(more > 0 ? [`+${more}`] : [])].join(',') || '-'
}

function notesOn(delivery: DeliveryRow, { reveal }: Reveal): string {
  const { items, pending, resembles, note } = delivery
  const retryAt = items.filter(({ state }) => state === 'retry').map(({ readyAt }) => readyAt)
  const reasons = items.map(({ reason }) => (reveal ? reason : maskReason(reason)))
  const notes = [
    pending && items.length > 0 ? 'waits to be ingested again' : undefined,
    retryAt.length > 0 ? `again at ${iso(Math.min(...retryAt))}` : undefined,
    ...items.filter(({ behind }) => behind > 0).map(({ kind, behind }) => waitingBehind(kind, behind)),
    ...new Set(items.map(burstText)),
    note,
    resembles === undefined ? undefined : `resembles ${resembles}`,
    ...new Set(reasons),
  ]
  return notes
    .filter((one) => one !== undefined)
    .slice(0, MOST_NAMED + 1)
    .join('; ')
}
