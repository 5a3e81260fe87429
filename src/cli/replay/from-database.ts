import type { DeliveryRow } from '../../stores/port/index.ts'
import { type InboxReader, readInbox } from '../../stores/sqlite/read-inbox.ts'
import { looking } from '../database.ts'
import { find } from '../inbox/find.ts'
import { pages } from '../inbox/filters.ts'
import type { Original } from './original.ts'

/** The deliveries in an app's inbox that are meant; `failed` are its dead letters. */
export async function fromDatabase(file: string, which: string): Promise<readonly Original[]> {
  return looking(readInbox, { database: file }, async (reader) => {
    const originals: Original[] = []
    for (const row of await chosen(reader, which)) originals.push(await originalOf(reader, row))
    return originals
  })
}

async function chosen(reader: InboxReader, which: string): Promise<readonly DeliveryRow[]> {
  if (which === 'failed') return listed(reader, { states: ['dead'] })
  if (which !== 'last') return (await find(reader, which)).slice(0, 1)
  const latest = await listed(reader, {}, 1)
  if (latest.length > 0) return latest
  throw new Error('nothing is in the inbox yet')
}

async function listed(reader: InboxReader, query: { states?: readonly 'dead'[] }, limit?: number) {
  const rows: DeliveryRow[] = []
  for await (const page of pages(reader, query, limit)) rows.push(...page)
  // As they came.
  return rows.toReversed()
}

async function originalOf(reader: InboxReader, { seq, deliveryId, event }: DeliveryRow): Promise<Original> {
  const body = (await reader.deliveryDetail(seq))?.body
  if (body === undefined)
    throw new Error(`delivery ${seq} cannot be replayed: its bytes are gone, since \`retention\` keeps them no longer`)
  if (deliveryId === undefined || event === undefined)
    throw new Error(`delivery ${seq} cannot be replayed: it came without an id or an event that could be understood`)
  return { id: deliveryId, event, body: Buffer.from(body) }
}
