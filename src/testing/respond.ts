import type { HttpAnswer, HttpRequest } from '../emulator/http/messages.ts'

/** A call of fetch as the emulator reads requests. */
export function requestOf(address: string, init: RequestInit = {}): HttpRequest {
  const { pathname, searchParams } = new URL(address)
  return {
    method: init.method ?? 'GET',
    path: pathname,
    query: searchParams,
    headers: Object.fromEntries(new Headers(init.headers)),
    body: Buffer.from(typeof init.body === 'string' ? init.body : ''),
  }
}

/** The emulator's answer as fetch gives it, with what a fault made of it on the way. */
export async function responseOf(answer: HttpAnswer, signal: AbortSignal | null | undefined): Promise<Response> {
  const { status, headers = {}, spoilt } = answer
  if (spoilt === 'never') return noAnswer(signal)
  if (spoilt === 'cut') throw broken('UND_ERR_SOCKET', 'other side closed')
  if (spoilt === 'reset') throw broken('ECONNRESET', 'the connection was reset')
  const body = spoilt === 'half' ? half(answer.body) : answer.body
  return new Response(body, { status, headers: { 'content-type': 'application/json', ...headers } })
}

/** A call of fetch where nothing listens. */
export async function unreachable(): Promise<never> {
  throw broken('ECONNREFUSED', 'nothing listens at 127.0.0.1')
}

function noAnswer(signal: AbortSignal | null | undefined): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}

function half(body: string): ReadableStream<Uint8Array> {
  const bytes = Buffer.from(body)
  return new ReadableStream({
    start: (stream) => stream.enqueue(bytes.subarray(0, Math.ceil(bytes.length / 2))),
    pull: (stream) => stream.error(broken('UND_ERR_SOCKET', 'other side closed')),
  })
}

/** As Node's own fetch says it. */
function broken(code: string, message: string): TypeError {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(message), { code }) })
}
