import { createHmac } from 'node:crypto'
import { type DeliveryHeaders, SIGNATURE_SCHEME, signedPrefix } from '../../service/delivery.ts'
import { EMULATOR_CLOCK_OFFSET } from '../../service/endpoints.ts'
import { EMULATOR_HEADER } from '../http/messages.ts'
import type { Attempt, Delivery, DeliveryRequest, Outcome, Repeated } from './delivery.ts'
import { type IncomingMessage, request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Timers } from '../../base/clock.ts'

type ToSign = Pick<Delivery, 'id' | 'event' | 'body'> & {
  subscription: Pick<Delivery['subscription'], 'url' | 'secret'>
}

export function signedRequest(
  delivery: ToSign,
  names: DeliveryHeaders,
  clock: { readonly offset: number } | undefined,
  signedAtMs: number,
): DeliveryRequest {
  // Wall time, even if the emulator's clock was moved: receivers compare the timestamp with their own clock.
  const timestamp = String(Math.floor(signedAtMs / 1_000))
  return {
    url: delivery.subscription.url,
    headers: {
      'Content-Type': 'application/json',
      'Content-Length': String(delivery.body.length),
      'User-Agent': 'switchhook-emulator',
      [names.event]: delivery.event,
      [names.delivery]: delivery.id,
      [names.timestamp]: timestamp,
      [names.signature]: sign(delivery.body, timestamp, delivery.subscription.secret),
      ...EMULATOR_HEADER,
      ...(clock && { [EMULATOR_CLOCK_OFFSET]: String(clock.offset) }),
    },
    body: delivery.body,
  }
}

/** Signs as SIG-01 states. Has only the format in common with the bot's check, so that each shows the other's bugs. */
function sign(body: Buffer, timestamp: string, secret: string): string {
  return SIGNATURE_SCHEME + createHmac('sha256', secret).update(signedPrefix(timestamp)).update(body).digest('hex')
}

export interface Redelivery {
  readonly exact?: boolean | undefined
  readonly tamper?: 'signature' | 'body' | 'timestamp' | undefined
  /** The time of signing, in milliseconds from now; negative for the past. */
  readonly timestampOffsetMs?: number | undefined
  /** Sends another delivery id or event name in the headers. Neither is signed. */
  readonly deliveryId?: string | undefined
  readonly event?: string | undefined
  readonly why?: Repeated
}

export function alterRequest(request: DeliveryRequest, names: DeliveryHeaders, how: Redelivery): DeliveryRequest {
  const headers = { ...request.headers }
  if (how.deliveryId !== undefined) headers[names.delivery] = how.deliveryId
  if (how.event !== undefined) headers[names.event] = how.event
  if (how.tamper === 'signature') headers[names.signature] = changeLastDigit(headers[names.signature] ?? '')
  if (how.tamper === 'timestamp') headers[names.timestamp] = String(Number(headers[names.timestamp]) + 1)
  const body = how.tamper === 'body' ? changeLastByte(request.body) : request.body
  return { ...request, headers, body }
}

function changeLastDigit(signature: string): string {
  return signature.slice(0, -1) + (signature.endsWith('0') ? '1' : '0')
}

function changeLastByte(body: Buffer): Buffer {
  const changed = Buffer.from(body)
  if (changed.length > 0) changed[changed.length - 1] = 0x21
  return changed
}

export type SignatureView = ReturnType<typeof signatureOf>

export function signaturesOf({ attempts, subscription }: Delivery, names: DeliveryHeaders): SignatureView[] {
  return attempts.map((attempt) => signatureOf(attempt, subscription.secret, names))
}

function signatureOf({ request, wall }: Attempt, secret: string, names: DeliveryHeaders) {
  const timestamp = request.headers[names.timestamp] ?? ''
  return {
    timestamp,
    sent: request.headers[names.signature] ?? '',
    /** Made with the secret that the subscription has now. */
    expected: sign(request.body, timestamp, secret),
    /** The timestamp minus this machine's clock, when the request was sent. */
    skewSeconds: Number(timestamp) - Math.floor(wall.at / 1_000),
  }
}

const ANSWER_LIMIT_BYTES = 65_536

interface PostOptions {
  readonly timers: Timers
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

export type Post = (request: DeliveryRequest, options: PostOptions) => Promise<Outcome>

/** Rejects only if the address or a header cannot be sent. */
export function post({ url, headers, body }: DeliveryRequest, options: PostOptions): Promise<Outcome> {
  return new Promise((resolve) => {
    const send = new URL(url).protocol === 'https:' ? httpsRequest : httpRequest
    // Each request has its own connection, because a kept connection that the app closes would count as a failure.
    const request = send(url, { method: 'POST', headers, agent: false, signal: options.signal })
    const stopTimer = options.timers.after(options.timeoutMs, () => finish({ error: 'timeout' }))
    const finish = (outcome: Outcome) => {
      stopTimer()
      resolve(outcome)
      request.destroy()
    }
    request.on('error', (error: NodeJS.ErrnoException) =>
      finish({ error: error.code === 'ECONNREFUSED' ? 'connection_refused' : 'connection_failed' }),
    )
    request.on('response', (response) => {
      readAnswer(response).then(finish, () => finish({ error: 'connection_failed' }))
    })
    request.end(body)
  })
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
