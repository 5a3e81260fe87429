import { readError } from '../../base/errors.ts'
import { type IncomingMessage, request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Timers } from '../../base/clock.ts'
import type { Shot } from './shot.ts'

/** `ms`: from the beginning of the request. */
export type Outcome =
  | { readonly kind: 'answer'; readonly status: number; readonly body: string; readonly ms: number }
  /** The receiver closed the connection without an answer. */
  | { readonly kind: 'closed'; readonly ms: number }
  | { readonly kind: 'silence'; readonly ms: number }
  | { readonly kind: 'unreachable'; readonly why: string; readonly ms: number }

export interface Target {
  readonly url: URL
  readonly timers: Timers
}

/** The service is assumed to wait this long. */
const TIMEOUT_MS = 10_000

/** The rest of a longer answer is not read. */
const ANSWER_LIMIT_BYTES = 65_536

/** Posts one shot over its own connection. Redirects are not followed. Never throws. */
export function fire(shot: Shot, { url, timers }: Target): Promise<Outcome> {
  const began = performance.now()
  const ms = () => Math.round(performance.now() - began)
  return new Promise((resolve) => {
    const address = new URL(url)
    if (shot.query !== '') address.search = shot.query
    const open = address.protocol === 'https:' ? httpsRequest : httpRequest
    const request = open(address, { method: shot.method, headers: headersOf(shot, address.host), agent: false })
    let connected = false
    const cancel = timers.after(TIMEOUT_MS, () => finish({ kind: 'silence', ms: ms() }))
    const finish = (outcome: Outcome) => {
      cancel()
      resolve(outcome)
      request.destroy()
    }
    const ready = address.protocol === 'https:' ? 'secureConnect' : 'connect'
    request.on('socket', (socket) => socket.once(ready, () => (connected = true)))
    // A receiver may answer and close before it has read the whole body. Let that answer arrive before this error.
    request.on('error', (error: NodeJS.ErrnoException) =>
      setImmediate(() =>
        finish(connected ? { kind: 'closed', ms: ms() } : { kind: 'unreachable', why: whyNot(error), ms: ms() }),
      ),
    )
    request.on('response', (response) => {
      const { statusCode: status = 0 } = response
      const answered = (body: string) => finish({ kind: 'answer', status, body, ms: ms() })
      readText(response).then(answered, () => answered(''))
    })
    request.flushHeaders()
    request.end(shot.body)
  })
}

/** Node sends a flat list of headers unchanged, repeats included, and adds none. */
function headersOf({ headers, body, chunked }: Shot, host: string): string[] {
  const length = chunked ? ['Transfer-Encoding', 'chunked'] : ['Content-Length', String(body.length)]
  const own = [['Host', host], ['User-Agent', 'switchhook-verify'], ['Connection', 'close'], length]
  return [...own, ...headers].flat()
}

async function readText(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    length += chunk.length
    if (length >= ANSWER_LIMIT_BYTES) break
  }
  return Buffer.concat(chunks).toString('utf8')
}

function whyNot(error: unknown): string {
  const { code, message } = readError(error instanceof AggregateError ? error.errors[0] : error)
  return code || message || 'no connection'
}
