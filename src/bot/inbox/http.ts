import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Timers } from '../../base/clock.ts'
import type { Acceptance } from '../../store/inbox/accept.ts'

export interface Incoming {
  readonly method: string
  readonly headers: IncomingHeaders
  readBody(limits: BodyLimits): Promise<Body>
  /** The name of the number of this endpoint; undefined if the app knows none. Absent at an endpoint of all numbers. */
  number?(): Promise<string | undefined>
  /** The status with which the app has answered in the bot's place; undefined if it has not. */
  answeredWith?(): number | undefined
}

/** A request at a path that is not the bot's, which may still be a delivery. `right`: the bot's path. */
export interface Elsewhere extends Incoming {
  readonly path: string
  readonly right: string
}

/** Headers as in a fetch `Request`, or a record by name. */
export type IncomingHeaders = HeaderLookup | Record<string, string | readonly string[] | undefined>

/** The methods of a fetch `Headers` that the bot needs. Names are in lower case. */
export interface HeaderLookup {
  get(name: string): string | readonly string[] | null | undefined
  keys(): Iterable<string>
}

export type Body = { readonly bytes: Uint8Array } | { readonly problem: BodyProblem }

export type BodyProblem = 'too_large' | 'too_many' | 'timeout' | 'aborted' | 'already_parsed'

export interface BodyLimits {
  readonly maxBytes: number
  /** Milliseconds for the whole body. */
  readonly deadlineMs: number
  readonly timers: Timers
  /** Counts received bytes. False (`too_many`) if the running requests together exceed their limit. */
  take(bytes: number): boolean
}

/** `body` never contains the reason for a refusal. Only the log does. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const json = { 'content-type': 'application/json' }
const closing = { ...json, connection: 'close' }

export const ANSWERS = {
  accepted: { status: 200, headers: json, body: '{"status":"accepted"}' },
  duplicate: { status: 200, headers: json, body: '{"status":"duplicate"}' },
  unauthorized: { status: 401, headers: json, body: '{"error":"unauthorized"}' },
  methodNotAllowed: { status: 405, headers: { ...json, allow: 'POST' }, body: '{"error":"method_not_allowed"}' },
  timeout: { status: 408, headers: closing, body: '{"error":"timeout"}' },
  tooLarge: { status: 413, headers: closing, body: '{"error":"too_large"}' },
  unsupportedEncoding: { status: 415, headers: json, body: '{"error":"unsupported_encoding"}' },
  bodyAlreadyParsed: { status: 500, headers: json, body: '{"error":"body_already_parsed"}' },
  unavailable: { status: 503, headers: json, body: '{"error":"unavailable"}' },
} as const satisfies Record<string, Answer>

/** After a valid signature no content gets an error status: repeated errors make the service disable the endpoint. */
export const ANSWER_TO: Readonly<Record<Acceptance, Answer>> = {
  stored: ANSWERS.accepted,
  quarantined: ANSWERS.accepted,
  conflict: ANSWERS.accepted,
  duplicate: ANSWERS.duplicate,
  suspected_replay: ANSWERS.duplicate,
  stale: ANSWERS.unauthorized,
}

export const ANSWER_TO_BODY: Readonly<Record<BodyProblem, Answer>> = {
  too_large: ANSWERS.tooLarge,
  too_many: { ...ANSWERS.unavailable, headers: closing },
  timeout: ANSWERS.timeout,
  // Nobody reads this answer: the client has disconnected.
  aborted: ANSWERS.timeout,
  already_parsed: ANSWERS.bodyAlreadyParsed,
}

type HeaderValue = { readonly value: string } | { readonly problem: 'missing' | 'repeated' }

/**
 * Reads a header that must occur exactly once. `name` is in lower case. Platforms join repeated unknown headers with a
 * comma, and no header of a delivery may contain one, so a comma counts as a repeat (SIG-08).
 */
export function singleHeader(headers: IncomingHeaders, name: string): HeaderValue {
  const found = lookUpHeader(headers, name)
  if (found === undefined || found === null || found === '' || found.length === 0) return { problem: 'missing' }
  if (typeof found !== 'string')
    return found.length === 1 ? singleHeader({ [name]: found[0] }, name) : { problem: 'repeated' }
  return found.includes(',') ? { problem: 'repeated' } : { value: found }
}

export function readHeader(headers: IncomingHeaders, name: string, form: RegExp): { value?: string; problem?: string } {
  const header = singleHeader(headers, name)
  if ('problem' in header) return header
  return form.test(header.value) ? header : { problem: 'malformed' }
}

/** Finds a header by its name in lower case. In a handmade record, several spellings of one name are several values. */
export function lookUpHeader(headers: IncomingHeaders, name: string): ReturnType<HeaderLookup['get']> {
  if (isHeaders(headers)) return headers.get(name)
  let found: string | readonly string[] | undefined
  for (const key of Object.keys(headers)) {
    if (key.length !== name.length || key.toLowerCase() !== name) continue
    const value = headers[key]
    if (value !== undefined) found = found === undefined ? value : [found, value].flat()
  }
  return found
}

/** Checks for the method and not for the class, because polyfills and other realms have their own class. */
export function isHeaders(headers: IncomingHeaders): headers is HeaderLookup {
  return typeof headers['get' as keyof typeof headers] === 'function'
}

/** Joins the parts of a body as they arrive: a list of parts of one byte each would take much memory. */
export function joinedParts() {
  let held = Buffer.alloc(0)
  let length = 0
  return {
    add(part: Uint8Array): void {
      const longer = length + part.byteLength
      if (longer > held.byteLength) {
        // Most bodies arrive in one part, so only a second part allocates memory for further ones.
        const more = length === 0 ? 0 : Math.min(longer, Math.max(65_536, longer >> 2))
        held = Buffer.concat([held.subarray(0, length)], longer + more)
      }
      held.set(part, length)
      length = longer
    },
    length: () => length,
    bytes: () => held.subarray(0, length),
  }
}

/** Limits the bytes that the bodies of all running requests have in memory. */
export function createBodyBudget(most: number) {
  let used = 0
  return {
    open() {
      let own = 0
      let closed = false
      return {
        take(bytes: number): boolean {
          // Refuse bytes that arrive after `close`, because nobody would subtract them from `used`.
          if (closed || used + bytes > most) return false
          used += bytes
          own += bytes
          return true
        },
        close() {
          used -= own
          closed = true
        },
      }
    },
  }
}

// ── requests and answers of Node ────────────────────────────────────────────────────────────────────

/** `body`, `rawBody`: body parsers add them. */
export type NodeRequest = IncomingMessage & { body?: unknown; rawBody?: unknown }

export function toIncoming(request: NodeRequest, response: ServerResponse): Incoming {
  const { headers } = request
  return {
    method: request.method ?? '',
    // Node gives every name in lower case, so other spellings need no search.
    headers: { get: (name) => headers[name], keys: () => Object.keys(headers) },
    readBody: (limits) => readBody(request, limits),
    answeredWith: () => (response.headersSent ? response.statusCode : undefined),
  }
}

/**
 * Reads the exact bytes of a body. If a parser has read it, its Buffer counts (`rawBody`, or a Buffer `body`). Parsed
 * JSON does not, because its bytes cannot be restored.
 */
function readBody(request: NodeRequest, limits: BodyLimits): Promise<Body> {
  const kept = [request.rawBody, request.body].find((one) => one instanceof Uint8Array)
  if (kept) return Promise.resolve(kept.byteLength > limits.maxBytes ? { problem: 'too_large' } : { bytes: kept })
  // If somebody began to read the body, its first part is missing, and the event of its end may never come.
  if (request.readableDidRead || request.readableEncoding !== null || !request.readable)
    return Promise.resolve({ problem: 'already_parsed' })
  if (Number(request.headers['content-length']) > limits.maxBytes) return Promise.resolve({ problem: 'too_large' })
  return new Promise((resolve) => {
    const parts = joinedParts()
    const settle = (body: Body) => {
      cancel()
      request.off('readable', read)
      resolve(body)
    }
    const cancel = limits.timers.after(limits.deadlineMs, () => settle({ problem: 'timeout' }))
    // Reads all that has arrived as one part. The event `data` would come for each part that was sent.
    function read() {
      const part: Buffer | null = request.read()
      if (part === null) return
      if (!limits.take(part.byteLength)) settle({ problem: 'too_many' })
      else if (parts.length() + part.byteLength > limits.maxBytes) settle({ problem: 'too_large' })
      else parts.add(part)
    }
    request.on('readable', read)
    request.once('end', () => settle({ bytes: parts.bytes() }))
    for (const event of ['error', 'close']) request.once(event, () => settle({ problem: 'aborted' }))
  })
}

/** Writes an answer, unless the client has disconnected, or the app has answered, for example after a time-out. */
export function sendAnswer(response: ServerResponse, answer: Answer): void {
  if (response.headersSent || response.destroyed) return
  response.statusCode = answer.status
  for (const name in answer.headers) response.setHeader(name, answer.headers[name] ?? '')
  response.setHeader('content-length', Buffer.byteLength(answer.body))
  response.end(answer.body)
}

/** Returns the path. Proxies may send a whole address, with scheme and host. */
export function pathOf(url = ''): string {
  const target = url.startsWith('/') ? url : url.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i, '')
  const query = target.indexOf('?')
  return query < 0 ? target : target.slice(0, query)
}

export function isSamePath(one: string, other: string): boolean {
  return comparable(one) === comparable(other)
}

/** Normalises a path for comparisons: like Express, they ignore case and a final slash. */
export function comparable(path: string): string {
  return path.toLowerCase().replace(/\/$/, '')
}

export function healthAnswer(bot: { ready(): boolean; waitedMs(): number; role(): string | undefined }): Answer {
  const ready = bot.ready()
  return {
    status: ready ? 200 : 503,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      status: ready ? 'ready' : 'unavailable',
      oldestWaitingSeconds: Math.floor(bot.waitedMs() / 1_000),
      role: bot.role(),
    }),
  }
}
