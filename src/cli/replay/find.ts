import { TIMESTAMP_TOLERANCE_SECONDS } from '../../contract/delivery.ts'
import type { EventView } from '../../emulator/control/events.ts'
import type { DeliveryView } from '../../emulator/deliver/delivery.ts'
import { isOwn } from '../../inspect/delivery-states.ts'
import type { DeliveryRow } from '../../stores/port/index.ts'
import type { Reader } from '../../stores/port/reader.ts'
import { findDeliveries, pages } from '../inbox/select.ts'
import { withReader } from '../support/database.ts'
import { isSuccess, type Tampering } from '../support/deliveries.ts'
import type { Control } from '../support/emulator.ts'
import type { Io } from '../support/io.ts'

/** A past delivery, as far as it is kept. */
export interface RecordedDelivery {
  readonly id: string
  readonly event: string
  readonly body: Buffer
  /** The last request, with its body as text; an app's inbox keeps none. */
  readonly request?: { readonly headers: Readonly<Record<string, string>>; readonly body: string } | undefined
}

export interface ReplayOptions {
  readonly exact: boolean
  readonly tamper: Tampering | undefined
  /** The flag's text, and its value in milliseconds. */
  readonly offset: string | undefined
  readonly offsetMs: number
}

/** Tells whether a receiver must refuse a timestamp, in Unix seconds. */
export function isStale(timestamp: number): boolean {
  return Math.abs(Math.floor(Date.now() / 1_000) - timestamp) > TIMESTAMP_TOLERANCE_SECONDS
}

/** The timestamp among a delivery's headers, whatever their prefix. */
export function timestampIn(headers: Readonly<Record<string, string>>): number {
  const [, value] = Object.entries(headers).find(([name]) => /-timestamp$/i.test(name)) ?? []
  return Number(value)
}

/** Finds deliveries of an emulator. @throws Error if there is none with that id, or none at all. */
export async function findInEmulator(emulator: Control, which: string): Promise<readonly RecordedDelivery[]> {
  const { items } = await emulator.get<{ items: readonly DeliveryView[] }>('deliveries')
  const found = deliveriesFor(items, which)
  if (found.length === 0) return []
  const events = await emulator.get<{ items: readonly EventView[] }>('events')
  return found.map(({ id, event, eventId, attempts }) => {
    const request = attempts.at(-1)?.request
    // The event's own bytes, since an attempt may have been tampered with.
    const payload = events.items.find((one) => one.id === eventId)?.payload ?? request?.body ?? ''
    return { id, event, body: Buffer.from(payload), request }
  })
}

function deliveriesFor(items: readonly DeliveryView[], which: string): readonly DeliveryView[] {
  if (which === 'failed') return items.filter(isFailed)
  const found = which === 'last' ? items.at(-1) : items.find(({ id }) => id === which.toUpperCase())
  if (found !== undefined) return [found]
  throw new Error(
    which === 'last'
      ? 'nothing was delivered yet: `switchhook trigger` lets something happen'
      : `the emulator knows no delivery ${JSON.stringify(which)}; \`last\` is the latest`,
  )
}

/** Tells whether a delivery has failed so far, even if it will be retried. */
function isFailed({ attempts, state }: DeliveryView): boolean {
  return (
    state !== 'delivered' &&
    (state === 'failed' || attempts.length > 0) &&
    !attempts.some(({ status }) => isSuccess(status))
  )
}

/** Finds deliveries in an app's inbox; `failed` selects its dead letters. */
export async function findInDatabase(io: Io, file: string, which: string): Promise<readonly RecordedDelivery[]> {
  return withReader(io, { database: file }, async (reader) => {
    const originals: RecordedDelivery[] = []
    for (const row of await rowsFor(reader, which)) originals.push(await originalOf(reader, row))
    return originals
  })
}

async function rowsFor(reader: Reader, which: string): Promise<readonly DeliveryRow[]> {
  if (which === 'failed') return listed(reader, { states: ['dead'] })
  if (which !== 'last') return (await findDeliveries(reader, which)).slice(0, 1)
  const latest = await listed(reader, {}, 1)
  if (latest.length > 0) return latest
  throw new Error('nothing is in the inbox yet')
}

async function listed(reader: Reader, query: { states?: readonly 'dead'[] }, limit?: number) {
  const rows: DeliveryRow[] = []
  for await (const page of pages(reader, query)) {
    rows.push(...page.filter((row) => !isOwn(row)))
    if (limit !== undefined && rows.length >= limit) break
  }
  // As they came.
  return rows.slice(0, limit).toReversed()
}

async function originalOf(reader: Reader, row: DeliveryRow): Promise<RecordedDelivery> {
  const { seq, deliveryId, event } = row
  if (isOwn(row)) throw new Error(`${seq} cannot be replayed: the bot itself told it, and no service ever delivered it`)
  const body = (await reader.deliveryDetail(seq))?.body
  if (body === undefined)
    throw new Error(`delivery ${seq} cannot be replayed: its bytes are gone, since \`retention\` keeps them no longer`)
  if (deliveryId === undefined || event === undefined)
    throw new Error(`delivery ${seq} cannot be replayed: it came without an id or an event that could be understood`)
  return { id: deliveryId, event, body: Buffer.from(body) }
}
