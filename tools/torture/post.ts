import { Agent, request } from 'node:http'
import { createHmac } from 'node:crypto'
import { ulid } from 'ulid'

/** The outcome of one delivery: a status with its body, or no answer. */
export type Outcome = { readonly status: number; readonly body: string } | { readonly none: string }

export interface Delivery {
  readonly id: string
  readonly event: 'message.received' | 'message.status'
  readonly body: string
}

/** A signed message of this customer. */
export function messageFrom(customer: string, text: string, at = Date.now()): Delivery {
  const id = ulid()
  const data = {
    id: `msg-${id}`,
    direction: 'INBOUND',
    message_type: 'text',
    content: text,
    wa_message_id: `wamid.${id}`,
    from: customer,
    created_at: new Date(at).toISOString(),
  }
  return deliveryOf('message.received', id, data)
}

/** The service reports that a message has arrived. */
export function statusOf(message: string, upstream: string | undefined, customer: string): Delivery {
  const at = new Date().toISOString()
  const data = {
    message_id: message,
    wa_message_id: upstream,
    recipient: customer,
    status: 'delivered',
    delivered_at: at,
  }
  return deliveryOf('message.status', ulid(), data)
}

function deliveryOf(event: Delivery['event'], id: string, data: object): Delivery {
  return { id, event, body: JSON.stringify({ id: `evt-${id}`, event, data }) }
}

/** Only what hangs takes as long. */
const LONG_MS = 120_000

export interface Poster {
  /** Posts a delivery, signed now; resolves with its outcome and never rejects. */
  post(url: string, delivery: Delivery): Promise<Outcome>
  close(): void
}

/** Posts as the service does, over kept-alive connections. An answer that is not in time counts as none. */
export function createPoster(secret: string, now: () => number = Date.now, timeoutMs = LONG_MS): Poster {
  const agent = new Agent({ keepAlive: true, maxSockets: 32 })
  return {
    post: (url, { id, event, body }) =>
      new Promise((resolve) => {
        const timestamp = String(Math.floor(now() / 1000))
        const signature = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')
        const headers = {
          'Content-Type': 'application/json',
          'X-Service-Signature': `sha256=${signature}`,
          'X-Service-Timestamp': timestamp,
          'X-Service-Event': event,
          'X-Service-Delivery': id,
        }
        const none = (error: NodeJS.ErrnoException) => resolve({ none: error.code ?? error.message })
        const posting = request(
          url,
          { method: 'POST', agent, headers, signal: AbortSignal.timeout(timeoutMs) },
          (response) => {
            let text = ''
            response.setEncoding('utf8')
            response.on('data', (chunk: string) => {
              text += chunk
            })
            response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text }))
            response.on('error', none)
          },
        )
        posting.on('error', none)
        posting.end(body)
      }),
    close: () => agent.destroy(),
  }
}
