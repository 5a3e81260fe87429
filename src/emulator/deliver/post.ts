import { type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Timers } from '../../base/clock.ts'
import type { AttemptError, DeliveryRequest, Outcome } from './delivery.ts'

/** The most that is read and kept of the app's answer. */
const ANSWER_LIMIT_BYTES = 65_536

interface PostOptions {
  readonly timers: Timers
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

export type Post = (request: DeliveryRequest, options: PostOptions) => Promise<Outcome>

/** Posts a delivery once. Redirects are not followed: anything but a 2xx is a failure. Never throws. */
export function post({ url, headers, body }: DeliveryRequest, options: PostOptions): Promise<Outcome> {
  return new Promise((resolve) => {
    const request = beginRequest(url, headers, options.signal)
    if (request === undefined) return resolve({ error: 'connection_failed' })
    const stopTimer = options.timers.after(options.timeoutMs, () => finish({ error: 'timeout' }))
    const finish = (outcome: Outcome) => {
      stopTimer()
      resolve(outcome)
      request.destroy()
    }
    request.on('error', (error: NodeJS.ErrnoException) => finish({ error: errorName(error) }))
    request.on('response', (response) => {
      readAnswer(response).then(finish, () => finish({ error: 'connection_failed' }))
    })
    request.end(body)
  })
}

/** Begins a request; answers undefined if the address or a header cannot be sent at all. */
function beginRequest(
  url: string,
  headers: DeliveryRequest['headers'],
  signal: AbortSignal,
): ClientRequest | undefined {
  try {
    const send = new URL(url).protocol === 'https:' ? httpsRequest : httpRequest
    // Each request has a connection of its own: a kept connection that the app closes would count as a failure.
    return send(url, { method: 'POST', headers, agent: false, signal })
  } catch {
    return undefined
  }
}

async function readAnswer(response: IncomingMessage): Promise<Outcome> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk.subarray(0, ANSWER_LIMIT_BYTES - length))
    length += chunk.length
    if (length >= ANSWER_LIMIT_BYTES) break
  }
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(response.headers)) headers[name] = String(value)
  return { status: response.statusCode ?? 0, headers, body: Buffer.concat(chunks).toString('utf8') }
}

function errorName(error: NodeJS.ErrnoException): AttemptError {
  return error.code === 'ECONNREFUSED' ? 'connection_refused' : 'connection_failed'
}
