import { textIn } from '../base/errors.ts'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { getRawBody } from 'raw-body'
import { isRecord } from '../base/value.ts'
import { BODY_LIMIT_BYTES, type PageRequest, Refused } from './admin-http.ts'

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
    text: () => readText(request),
  }
}

/** Express knows the mount path. The rest of the path is not the page's own address. */
export function isBelowMount({ baseUrl, url }: HostedRequest): boolean {
  return typeof baseUrl === 'string' && baseUrl !== '' && urlOf(url).pathname !== '/'
}

function urlOf(url = '/'): URL {
  const address = /^[a-z][a-z\d+.-]*:/i.test(url) ? url : `http://page.invalid${url.startsWith('/') ? '' : '/'}${url}`
  return URL.canParse(address) ? new URL(address) : new URL('http://page.invalid/')
}

/** The app may have a body parser in front of the page. */
async function readText(request: HostedRequest): Promise<string> {
  if (request.body instanceof Uint8Array) return Buffer.from(request.body).toString('utf8')
  if (isRecord(request.body)) return JSON.stringify(request.body)
  if (request.readableDidRead) return ''
  try {
    const length = request.headers['content-length'] ?? null
    return await getRawBody(request, { limit: BODY_LIMIT_BYTES, length, encoding: 'utf-8' })
  } catch (error) {
    throw textIn(error, 'type') === 'entity.too.large' ? tooLarge() : error
  }
}

export async function sendAnswer(request: IncomingMessage, response: ServerResponse, answer: Response): Promise<void> {
  const body = Buffer.from(await answer.arrayBuffer())
  if (response.headersSent || response.destroyed) return
  response.statusCode = answer.status
  for (const [name, value] of answer.headers) response.setHeader(name, value)
  response.end(request.method === 'HEAD' ? undefined : body)
}

export function fetchRequest(request: Request): PageRequest {
  const { pathname, searchParams } = new URL(request.url)
  return {
    method: request.method,
    path: pathname,
    query: searchParams,
    header: (name) => request.headers.get(name) ?? undefined,
    text: () => readFetchText(request),
  }
}

async function readFetchText(request: Request): Promise<string> {
  if (request.bodyUsed) return ''
  if (Number(request.headers.get('content-length')) > BODY_LIMIT_BYTES) throw tooLarge()
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of request.body ?? []) {
    chunks.push(chunk as Uint8Array)
    bytes += (chunk as Uint8Array).length
    if (bytes > BODY_LIMIT_BYTES) throw tooLarge()
  }
  return Buffer.concat(chunks).toString('utf8')
}

function tooLarge(): Refused {
  return new Refused('too_large', 'The body is too large.')
}
