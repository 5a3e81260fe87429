import type { IncomingMessage, ServerResponse } from 'node:http'
import { getRawBody } from 'raw-body'
import { isRecord, parseJson } from '../base/value.ts'
import { BODY_LIMIT_BYTES, type PageAnswer, type PageRequest, Refused, type StreamReader } from './http.ts'

/** A request of `node:http`, with what Express and body parsers leave on it. */
type HostedRequest = IncomingMessage & { readonly body?: unknown; readonly baseUrl?: unknown; originalUrl?: unknown }

export function nodeRequest(request: HostedRequest): PageRequest {
  const { pathname, searchParams } = urlOf(request.url)
  return {
    method: request.method === 'HEAD' ? 'GET' : (request.method ?? ''),
    // Under app.use('/admin') the path is `/` with and without the slash.
    path: pathname === '/' && !urlOf(originalOf(request)).pathname.endsWith('/') ? '' : pathname,
    query: searchParams,
    header(name) {
      const found = request.headers[name]
      return Array.isArray(found) ? found[0] : found
    },
    json: () => readJson(request),
  }
}

/** Express has cut the mount path off, so that the rest is known to be below it. */
export function isWhollyMounted({ baseUrl, url }: HostedRequest): boolean {
  return typeof baseUrl === 'string' && baseUrl !== '' && urlOf(url).pathname !== '/'
}

/** The path by which the browser asked, as far as the app's server knows it. */
export function lastSegment(request: HostedRequest): string {
  return urlOf(originalOf(request)).pathname
}

function originalOf({ originalUrl, url }: HostedRequest): string | undefined {
  return typeof originalUrl === 'string' ? originalUrl : url
}

function urlOf(url = '/'): URL {
  const address = /^[a-z][a-z\d+.-]*:/i.test(url) ? url : `http://page.invalid${url.startsWith('/') ? '' : '/'}${url}`
  return URL.canParse(address) ? new URL(address) : new URL('http://page.invalid/')
}

/** A body parser of the app's may have been there first. */
async function readJson(request: HostedRequest): Promise<unknown> {
  if (isRecord(request.body) && !(request.body instanceof Uint8Array)) return request.body
  if (request.body instanceof Uint8Array) return parsed(Buffer.from(request.body).toString('utf8'))
  if (request.readableDidRead) throw new Refused('invalid', 'Something in front of the page has read the body.')
  try {
    const length = request.headers['content-length'] ?? null
    return parsed(await getRawBody(request, { limit: BODY_LIMIT_BYTES, length, encoding: 'utf-8' }))
  } catch (error) {
    if ((error as { type?: unknown }).type === 'entity.too.large')
      throw new Refused('too_large', 'The body is too large.')
    throw error
  }
}

export function parsed(text: string): unknown {
  const json = parseJson(text)
  if (json === undefined) throw new Refused('invalid', 'The body is no JSON.')
  return json
}

export function sendPageAnswer(request: IncomingMessage, response: ServerResponse, answer: PageAnswer): void {
  if (response.headersSent || response.destroyed) return
  response.statusCode = answer.status
  for (const [name, value] of Object.entries(answer.headers)) response.setHeader(name, value)
  if (!answer.stream || request.method === 'HEAD') return void response.end(answer.body)
  response.write(answer.body)
  response.once('close', answer.stream(readerOf(response)))
}

function readerOf(response: ServerResponse): StreamReader {
  return {
    write(text) {
      if (!response.destroyed) response.write(text)
    },
    isSlow: () => response.writableNeedDrain,
    end: () => void response.end(),
  }
}
