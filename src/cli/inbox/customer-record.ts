import type { DeliveryRow, SendRow } from '../../stores/port/index.ts'
import type { Reader } from '../../stores/operations/reader.ts'
import { parseJson } from '../../base/value.ts'
import { iso } from '../../inspect/iso.ts'
import { pages } from './select.ts'
import { detailsOf } from '../../inspect/delivery-view.ts'
import { paged, type PageOf } from '../support/database.ts'

/** All that is kept of a customer, and nothing of anybody else. */
export async function recordOf(reader: Reader, customer: string, now: number) {
  const { once, mutes: silences, ...kept } = await reader.keptOf(customer)
  const { naming } = await reader.holding(customer)
  return {
    customer,
    exportedAt: iso(now),
    received: await receivedFrom(reader, customer, once, now),
    sent: await sentTo(reader, customer),
    ...(readable({ ...kept, silences }) as object),
    /** Deliveries that nobody handled and that name these digits somewhere; whose they are, a person has to see. */
    unread: naming,
  }
}

const TIME = /(?:At|^at|^since|^until)$/
const JSON_TEXT = /^(?:value|input|result|says|body|fallback)$/

/** Times as people read them, and the JSON in texts as JSON. */
function readable(value: unknown, name = ''): unknown {
  if (typeof value === 'number' && TIME.test(name)) return iso(value)
  if (typeof value === 'string' && JSON_TEXT.test(name)) {
    const json = parseJson(value)
    return json === undefined ? value : json
  }
  if (Array.isArray(value)) return value.map((one) => readable(one))
  if (typeof value !== 'object' || value === null) return value ?? undefined
  return Object.fromEntries(Object.entries(value).map(([member, one]) => [member, readable(one, member)]))
}

type Once = Awaited<ReturnType<Reader['keptOf']>>['once']

/** Deliveries, the oldest first, each with the customer's own items. */
async function receivedFrom(reader: Reader, customer: string, once: Once, now: number) {
  const rows: DeliveryRow[] = []
  for await (const page of pages(reader, { customer })) rows.push(...page)
  const received = []
  for (const row of rows.reverse()) {
    const detail = await reader.deliveryDetail(row.seq)
    if (!detail) continue
    const items = row.items.filter((item) => item.customer === customer)
    const { sends: _, body, ...shown } = detailsOf({ ...row, items }, detail, now, { reveal: true })
    const results = once.filter(({ seq }) => seq === row.seq).map(({ name, result }) => readable({ name, result }))
    // The bytes of a batch are those of other customers too.
    received.push({ ...shown, once: results, ...(items.length === row.items.length && { body }) })
  }
  return received
}

/** Sends, the oldest first, with what became of them. */
async function sentTo(reader: Reader, customer: string) {
  const rows: SendRow[] = []
  const read = async (page: PageOf<number>) => {
    const { sends, next } = await reader.listSends({ customer, ...page })
    return { rows: sends, next }
  }
  for await (const page of paged(read)) rows.push(...page)
  const sent = []
  for (const send of rows.reverse()) {
    const { id, key, number, state, via, ref, createdAt, settledAt, messageId, upstreamId, code, reason } = send
    const about = { id, key, number, state, via, ref, createdAt, settledAt, messageId, upstreamId, code, reason }
    const { attempts, possiblyTwice, withheld: codeWithheld, body, fallback } = send
    const statuses = await reader.statusesOf(send)
    const content = { body, fallback: fallback?.body }
    sent.push(readable({ ...about, attempts, possiblyTwice, codeWithheld, ...content, statuses }))
  }
  return sent
}
