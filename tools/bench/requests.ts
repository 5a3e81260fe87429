/** Requests as bytes, each with its own id and a right signature, made before the clock runs. */
import { randomBytes } from 'node:crypto'
import { signDelivery } from 'switchhook'
import { monotonicFactory } from 'ulid'
import { SECRET } from './contenders.ts'

export interface Wanted {
  /** How many customers write them, in turn. */
  readonly customers?: number
  /** The first of them. Default 0. */
  readonly from?: number
  /** Signs with another secret. */
  readonly forged?: boolean
}

/** Makes the headers and the body of one request. */
export type Scheme = (id: string, index: number, wanted: Wanted) => { headers: Record<string, string>; body: string }

const BODY_BYTES = 1_024
const TEXT = 'Habari, bei ya viatu ni ngapi? '.repeat(BODY_BYTES)
/** An id that is not random each time: that would cost a quarter of the client's time. */
export const ulid = monotonicFactory()

export function prepare(count: number, wanted: Wanted = {}, scheme: Scheme = delivery): Buffer[] {
  return Array.from({ length: count }, (_, index) => {
    const { headers, body } = scheme(ulid(), index, wanted)
    const head = [
      'POST /webhooks/messages HTTP/1.1',
      'Host: 127.0.0.1',
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ]
    return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`)
  })
}

const delivery: Scheme = (id, index, { customers = 1_000, from = 0, forged = false }) => {
  const body = deliveryBody(id, 255712000000 + ((from + index) % customers))
  const secret = forged ? randomBytes(16).toString('hex') : SECRET
  return { headers: signDelivery({ body, secret, at: new Date(), event: 'message.received', deliveryId: id }), body }
}

/** A message as the service may send it. */
export function deliveryBody(id: string, customer: number): string {
  const created = new Date().toISOString()
  return filled((content) => ({
    id: `evt-${id}`,
    event: 'message.received',
    data: {
      id: `msg-${id}`,
      direction: 'INBOUND',
      message_type: 'text',
      content,
      wa_message_id: `wamid.${id}`,
      from: String(customer),
      created_at: created,
    },
  }))
}

/** JSON with a text so long that the whole has a kilobyte. */
export function filled(json: (text: string) => unknown): string {
  const empty = JSON.stringify(json(''))
  return JSON.stringify(json(TEXT.slice(0, BODY_BYTES - empty.length)))
}
