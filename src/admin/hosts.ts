import { textIn } from '../base/errors.ts'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import { getRawBody } from 'raw-body'
import { isRecord } from '../base/value.ts'
import { BODY_LIMIT_BYTES, EVENT_STREAM, type PageRequest, Refused } from './admin-http.ts'

type HostedRequest = IncomingMessage & { readonly body?: unknown; readonly baseUrl?: unknown; originalUrl?: unknown }

export function nodeRequest(request: HostedRequest): PageRequest {
  const { pathname, searchParams } = urlOf(typeof request.originalUrl === 'string' ? request.originalUrl : request.url)
  return {
    method: request.method ?? '',
    path: pathname,
    query: searchParams,
    header(name) {
      const found = request.headers[name]
      return Array.isArray(found) ? found[0] : found
    },
    text: async () => Buffer.from(await readBytes(request, BODY_LIMIT_BYTES)).toString('utf8'),
    bytes: (limit) => readBytes(request, limit),
  }
}

/** True for a path below the one at which Express has mounted the page. */
export function isBelowMount({ baseUrl, url }: HostedRequest): boolean {
  return typeof baseUrl === 'string' && baseUrl !== '' && urlOf(url).pathname !== '/'
}

function urlOf(url = '/'): URL {
  const address = /^[a-z][a-z\d+.-]*:/i.test(url) ? url : `http://page.invalid${url.startsWith('/') ? '' : '/'}${url}`
  return URL.canParse(address) ? new URL(address) : new URL('http://page.invalid/')
}

/** Returns the body. A body parser of the app may have read it already. */
async function readBytes(request: HostedRequest, limit: number): Promise<Uint8Array> {
  if (request.body instanceof Uint8Array) return request.body
  if (isRecord(request.body)) return Buffer.from(JSON.stringify(request.body))
  if (request.readableDidRead) return Buffer.alloc(0)
  try {
    const length = request.headers['content-length'] ?? null
    return await getRawBody(request, { limit, length })
  } catch (error) {
    throw textIn(error, 'type') === 'entity.too.large' ? tooLarge() : error
  }
}

export async function sendAnswer(request: IncomingMessage, response: ServerResponse, answer: Response): Promise<void> {
  const isStream = answer.headers.get('content-type') === EVENT_STREAM
  const body = isStream ? undefined : Buffer.from(await answer.arrayBuffer())
  if (response.headersSent || response.destroyed) {
    // Any other body was read above. There `cancel` would reject, and the unhandled rejection would end the process.
    if (isStream) await answer.body?.cancel()
    return
  }
  response.statusCode = answer.status
  for (const [name, value] of answer.headers) response.setHeader(name, value)
  if (!isStream) return void response.end(request.method === 'HEAD' ? undefined : body)
  response.flushHeaders()
  // `pipeline` rejects when the reader's connection ends.
  await pipeline(Readable.fromWeb(answer.body as ReadableStream), response).catch(() => {})
}

export function fetchRequest(request: Request): PageRequest {
  const { pathname, searchParams } = new URL(request.url)
  return {
    method: request.method,
    path: pathname,
    query: searchParams,
    header: (name) => request.headers.get(name) ?? undefined,
    text: async () => Buffer.from(await readFetchBytes(request, BODY_LIMIT_BYTES)).toString('utf8'),
    bytes: (limit) => readFetchBytes(request, limit),
  }
}

async function readFetchBytes(request: Request, limit: number): Promise<Uint8Array> {
  if (request.bodyUsed) return Buffer.alloc(0)
  if (Number(request.headers.get('content-length')) > limit) throw tooLarge()
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of request.body ?? []) {
    chunks.push(chunk as Uint8Array)
    bytes += (chunk as Uint8Array).length
    if (bytes > limit) throw tooLarge()
  }
  return Buffer.concat(chunks)
}

function tooLarge(): Refused {
  return new Refused('too_large', 'The body is too large.')
}
