/** A closed loop over keep-alive connections: each sends its next request when its last one is answered. */
import { connect } from 'node:net'
import { signDelivery } from 'switchhook'
import { monotonicFactory } from 'ulid'

export interface Load {
  /** Answers by status. */
  readonly answers: ReadonlyMap<number, number>
  readonly seconds: number
}

/** Requests as bytes, each with an id of its own and a true signature, made before the clock runs. */
export function prepare(count: number, secret: string): Buffer[] {
  const ulid = monotonicFactory()
  return Array.from({ length: count }, (_, index) => {
    const id = ulid()
    const body = bodyOf(id, index)
    const headers = signDelivery({ body, secret, at: new Date(), event: 'message.received', deliveryId: id })
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
    const head = [
      'POST /webhooks/messages HTTP/1.1',
      'Host: 127.0.0.1',
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      ...lines,
    ]
    return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`)
  })
}

function bodyOf(id: string, index: number): string {
  const customer = 255712000000 + (index % 1_000)
  const message = {
    id: `msg-${id}`,
    direction: 'INBOUND',
    message_type: 'text',
    content: 'Habari, bei ya viatu ni ngapi? '.repeat(20),
    wa_message_id: `wamid.${id}`,
    from: String(customer),
    created_at: new Date().toISOString(),
  }
  return JSON.stringify({ id: `evt-${id}`, event: 'message.received', data: message })
}

export async function fire(port: number, requests: readonly Buffer[], connections: number): Promise<Load> {
  const answers = new Map<number, number>()
  let next = 0
  const began = performance.now()
  await Promise.all(Array.from({ length: connections }, () => drive()))
  return { answers, seconds: (performance.now() - began) / 1000 }

  function drive(): Promise<void> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1')
      let pending = ''
      const send = () => {
        const request = requests[next++]
        if (request) socket.write(request)
        else {
          socket.destroy()
          resolve()
        }
      }
      socket.setNoDelay(true).setEncoding('latin1').on('connect', send).on('error', reject)
      socket.on('data', (chunk: string) => {
        pending += chunk
        const head = pending.indexOf('\r\n\r\n')
        if (head < 0) return
        const length = Number(/content-length: (\d+)/i.exec(pending)?.[1])
        if (pending.length < head + 4 + length) return
        const status = Number(pending.slice(9, 12))
        answers.set(status, (answers.get(status) ?? 0) + 1)
        pending = ''
        send()
      })
    })
  }
}
