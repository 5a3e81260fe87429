import { explain, isOwn, isRetryable, NEEDS_A_PERSON, ownEventText } from '../../../view/delivery-states.ts'
import { bundleText, detailsOf, summaryOf } from '../../../view/delivery-view.ts'
import type { Reveal } from '../../../view/mask.ts'
import type { Reader } from '../../../store/store.ts'
import { advice } from '../support/advice.ts'
import { type DatabaseFlags, withReader } from '../support/open-database.ts'
import type { Io } from '../support/io.ts'
import { type Column, printList, printRecord, printResult } from '../support/output.ts'
import { filterOf, type Filters, findDeliveries, named, pages } from './select.ts'
import type { DeliveryRow } from '../../../store/reads/deliveries.ts'
import { MOST_COUNTED } from '../../../store/database/steps.ts'
import type { InboxState } from '../../../store/database/inbox-tables.ts'

interface ListFlags extends DatabaseFlags, Filters, Reveal {
  readonly state?: InboxState
  readonly all?: boolean
  readonly limit: number
}

export async function list(io: Io, flags: ListFlags): Promise<void> {
  await withReader(io, flags, async (reader) => {
    const { resting } = await reader.overview()
    const parts = NEEDS_A_PERSON.filter((state) => resting[state] > 0).map((state) => {
      return `${resting[state]}${resting[state] < MOST_COUNTED ? '' : ' or more'} ${state}`
    })
    const help = '`inbox ls --state …` lists them, `inbox show` explains them, `inbox retry` requeues them'
    const sentences = parts.length > 0 ? [`Waiting for a person: ${parts.join(', ')}. ${help}.`] : []
    printResult(io, flags, { kind: 'waiting', ...resting }, ...sentences)
    await printList(io, flags, rowsOf(reader, flags), COLUMNS, {
      none: flags.all ? 'No matching delivery.' : 'No matching message; --all lists every delivery.',
      limit: flags.limit,
    })
  })
}

type Row = ReturnType<typeof summaryOf>

async function* rowsOf(reader: Reader, flags: ListFlags): AsyncGenerator<Row> {
  const now = Date.now()
  const event = flags.event ?? (flags.all || flags.state !== undefined ? undefined : 'message.received')
  const query = { ...filterOf(await named(reader, flags), now), event, states: flags.state && [flags.state] }
  for await (const page of pages(reader, query, flags.limit))
    for (const delivery of page) yield summaryOf(delivery, now, flags)
}

const MOST_NAMED = 3

const COLUMNS: readonly Column<Row>[] = [
  'seq',
  'id',
  'event',
  'subscription',
  'receivedAt',
  ['customer', ({ items }) => firstOf(items.map(({ customer }) => customer))],
  'states',
  ['attempts', ({ items }) => mostOf(items.flatMap(({ attempts }) => attempts ?? []))],
  'repeats',
  ['note', (row) => firstOf(notesOn(row))],
]

function mostOf(counts: readonly number[]): number | undefined {
  return counts.length === 0 ? undefined : Math.max(...counts)
}

function firstOf(texts: readonly (string | undefined)[]): string[] {
  const all = [...new Set(texts.filter((one) => one !== undefined))]
  return all.length > MOST_NAMED ? [...all.slice(0, MOST_NAMED), `+${all.length - MOST_NAMED}`] : all
}

function notesOn({ unsorted, items, note, resembles }: Row): (string | undefined)[] {
  return [
    unsorted && items.length > 0 ? 'waits to be ingested again' : undefined,
    ...items.map(({ retryAt }) => retryAt && `again at ${retryAt}`),
    ...items.map(({ kind, behind }) => (behind === undefined ? undefined : waitingBehind(kind, behind))),
    ...items.map(bundleText),
    note,
    resembles === undefined ? undefined : `resembles ${resembles}`,
    ...items.map(({ reason }) => reason),
  ]
}

export async function show(io: Io, idOrSeq: string, flags: DatabaseFlags & Reveal): Promise<void> {
  await withReader(io, flags, async (reader) => {
    const now = Date.now()
    for (const delivery of await findDeliveries(reader, idOrSeq)) {
      const detail = await reader.deliveryDetail(delivery.seq)
      if (detail)
        await printRecord(io, flags, { ...detailsOf(delivery, detail, now, flags), ...explanationOf(delivery, flags) })
    }
  })
}

function explanationOf(delivery: DeliveryRow, flags: DatabaseFlags) {
  return {
    toldBy: isOwn(delivery) ? ownEventText(delivery) : undefined,
    why: [...explain(delivery), ...(delivery.hasBytes ? [] : ['its bytes were removed after their `retention`'])],
    possible: isRetryable(delivery) ? advice(flags, `switchhook inbox retry ${delivery.seq}`) : undefined,
  }
}

function waitingBehind(kind: string, count: number): string {
  const [thing, things] = kind === 'message' ? ['message', 'messages'] : ['event', 'events']
  return count === 1
    ? `1 ${thing} of this customer waits behind it`
    : `${count} ${things} of this customer wait behind it`
}
