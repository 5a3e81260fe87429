// Imported as modules and not by name, because instrumentation replaces their functions.
import http, { type ClientRequest } from 'node:http'
import https from 'node:https'
import type { Socket } from 'node:net'
import type { Timers } from '../base/clock.ts'
import { VERSION } from '../base/version.ts'
import { EMULATOR_CLOCK_OFFSET, IDEMPOTENCY_KEY, PHONE_NUMBER_ID } from '../service/endpoints.ts'
import { failedExchange } from './api-errors.ts'
import type { Settings } from './client-options.ts'
import { redactorFor } from './redact.ts'

/** How much memory each part of a body takes beside its bytes. The other side may send parts of one byte. */
const PART_BYTES = 256

export interface Call {
  readonly method: 'GET' | 'POST'
  /** The path, relative to `/api/v2`. */
  readonly path: string
  readonly query?: string
  readonly body?: string
  readonly idempotencyKey?: string | undefined
  readonly phoneNumberId: string | undefined
  readonly signal: AbortSignal | undefined
}

export interface Attempt {
  /** Milliseconds, with the time to read the body. */
  readonly timeout: number
  readonly token: () => Promise<string>
}

/** Headers by lower-case name. */
export type AnswerHeaders = Readonly<Record<string, string | readonly string[] | undefined>>

export interface ServiceAnswer {
  readonly call: Call
  readonly status: number
  readonly headers: AnswerHeaders
  readonly text: string
  /** Why the text is incomplete; undefined if it is complete. */
  readonly broken: 'timeout' | 'aborted' | 'connection' | 'too_large' | undefined
  /** Hides the request's secrets and texts, which the answer may repeat. */
  readonly redact: (text: string) => string
}

/** The longest answer that is read. The service's answers are much shorter. */
const LARGEST_BYTES = 1_048_576

const UTF8 = new TextDecoder()

/** Gets the token, sends the request and reads the answer, all within the time-out. */
export async function exchange(settings: Settings, call: Call, attempt: Attempt): Promise<ServiceAnswer> {
  const deadline = deadlineAfter(attempt.timeout, call.signal, settings.timers)
  const answer = new Receiving(deadline)
  let token: string | undefined
  let redactor: ((text: string) => string) | undefined
  const redact = (text: string) => (redactor ??= redactorFor({ token, body: call.body }))(text)
  try {
    token = await deadline.race(attempt.token)
    const request = requestOf(settings, call, token)
    await deadline.race(() => (settings.fetch ? overFetch(settings.fetch, request, answer) : overHttp(request, answer)))
  } catch (error) {
    const endedBy = deadline.passedBy()
    if (!answer.head)
      throw failedExchange({ call, timeout: attempt.timeout, error, redact, endedBy, left: answer.requestLeft })
    answer.broken ??= endedBy ?? 'connection'
  } finally {
    deadline.close()
  }
  const { status, headers } = answer.head ?? { status: 0, headers: {} }
  const fromEmulator = settings.loopback && headers[EMULATOR_CLOCK_OFFSET.toLowerCase()] !== undefined
  if (fromEmulator) reportOffset(settings, headers)
  // Do not redact an emulator's answer: it does not repeat the request, and a developer needs its sentences unchanged.
  return {
    call,
    status,
    headers,
    text: answer.text(),
    broken: answer.broken,
    redact: fromEmulator ? unchanged : redact,
  }
}

const unchanged = (text: string) => text

function reportOffset({ onOffset }: Settings, headers: AnswerHeaders): void {
  const offset = String(headers[EMULATOR_CLOCK_OFFSET.toLowerCase()])
  if (!/^-?\d{1,15}$/.test(offset)) return
  try {
    onOffset(Number(offset))
  } catch {
    // A listener that fails must not make an accepted message look unanswered.
  }
}

type OutgoingRequest = ReturnType<typeof requestOf>

function requestOf(settings: Settings, call: Call, token: string) {
  const { method, body, idempotencyKey, phoneNumberId } = call
  const headers: Record<string, string> = {
    Authorization: `Bearer ${token}`,
    Accept: 'application/json',
    'User-Agent': `switchhook/${VERSION}`,
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
    ...(idempotencyKey !== undefined && { [IDEMPOTENCY_KEY]: idempotencyKey }),
    ...(phoneNumberId !== undefined && { [PHONE_NUMBER_ID]: phoneNumberId }),
  }
  const { address } = settings
  const path = `${address.pathname}${call.path}${call.query ? `?${call.query}` : ''}`
  return { address, path, method, headers, body }
}

class Receiving {
  readonly deadline: Deadline
  /** True once the request was written. `perhaps` with `fetch`, which does not tell. */
  requestLeft: boolean | 'perhaps' = false
  head: { readonly status: number; readonly headers: AnswerHeaders } | undefined
  broken: ServiceAnswer['broken']
  readonly #chunks: Uint8Array[] = []
  #room = LARGEST_BYTES

  constructor(deadline: Deadline) {
    this.deadline = deadline
  }

  /** Returns false if the answer is too long. */
  add(chunk: Uint8Array): boolean {
    this.#room -= chunk.byteLength + PART_BYTES
    if (this.#room < 0) this.broken = 'too_large'
    else this.#chunks.push(chunk)
    return this.#room >= 0
  }

  text(): string {
    return UTF8.decode(Buffer.concat(this.#chunks))
  }
}

/** The app's own `fetch` may ignore the signal, so the deadline is checked again after the answer. */
async function overFetch(fetch: typeof globalThis.fetch, request: OutgoingRequest, answer: Receiving): Promise<void> {
  const { address, path, method, headers, body } = request
  answer.requestLeft = 'perhaps'
  const controller = new AbortController()
  answer.deadline.onPass(() => controller.abort())
  const response = await fetch(`${address.origin}${path}`, {
    method,
    headers,
    // A redirect would send the token elsewhere, or turn a POST into a GET.
    redirect: 'manual',
    signal: controller.signal,
    ...(body !== undefined && { body }),
  })
  if (answer.deadline.passedBy() !== undefined) return void response.body?.cancel()
  answer.head = { status: response.status, headers: Object.fromEntries(response.headers) }
  for await (const chunk of response.body ?? []) if (!answer.add(chunk)) return
}

/** Idle connections close after 4 s. If the service closed one first, a request just written to it could be lost. */
const KEPT = { keepAlive: true, timeout: 4_000 }
const PLAIN = new http.Agent(KEPT)
const SECURE = new https.Agent(KEPT)
/** How long a connection and its TLS handshake may take. */
const CONNECT_MS = 10_000
/** Saved, because an app's tests may replace the globals. */
const { setTimeout, clearTimeout } = globalThis

/** Sends the request with Node's own client, which follows no redirects. */
function overHttp({ address, path, method, headers, body }: OutgoingRequest, answer: Receiving): Promise<void> {
  return new Promise((resolve, reject) => {
    const isSecure = address.protocol === 'https:'
    // This client cannot read a compressed answer.
    const all: Record<string, string | number> = { ...headers, 'Accept-Encoding': 'identity' }
    if (body !== undefined) all['Content-Length'] = Buffer.byteLength(body)
    const { port } = address
    const hostname = address.hostname.replace(/^\[|\]$/g, '')
    // A `URL` or a signal as an option would double the CPU of a request.
    const options = { hostname, port, path, method, headers: all, agent: isSecure ? SECURE : PLAIN }
    const request = isSecure ? https.request(options) : http.request(options)
    answer.deadline.onPass(() => request.destroy())
    whenConnected(request, isSecure, () => {
      answer.requestLeft = true
      request.end(body)
    })
    request.on('error', reject)
    // A connection may close without an error, for example because the server switched to another protocol.
    request.on('close', () => reject(new Error('the connection was closed without an answer')))
    request.on('response', (message) => {
      answer.head = { status: message.statusCode ?? 0, headers: message.headers }
      message.on('data', (chunk: Buffer) => {
        if (answer.add(chunk)) return
        resolve()
        message.destroy()
      })
      message.on('end', resolve)
      message.on('error', reject)
    })
  })
}

/** Nothing is written before the handshake, so that a handshake that fails has sent nothing. */
function whenConnected(request: ClientRequest, isSecure: boolean, connected: () => void): void {
  request.on('socket', (socket: Socket & { readonly secureConnecting?: boolean }) => {
    if (!socket.connecting && !socket.secureConnecting) return connected()
    const late = () => request.destroy(new Error(`no connection within ${CONNECT_MS / 1_000} s`))
    const timer = setTimeout(late, CONNECT_MS)
    request.once('close', () => clearTimeout(timer))
    socket.once(isSecure ? 'secureConnect' : 'connect', () => {
      clearTimeout(timer)
      connected()
    })
  })
}

type Deadline = ReturnType<typeof deadlineAfter>

/** Ends an attempt or a wait: after its time, or when the caller's signal aborts it. */
function deadlineAfter(ms: number, caller: AbortSignal | undefined, timers: Timers) {
  let by: 'timeout' | 'aborted' | undefined
  let lose = (_error: Error) => {}
  let passed = () => {}
  const pass = (reason: 'timeout' | 'aborted') => {
    by ??= reason
    lose(new Error(by))
    passed()
  }
  const onAbort = () => pass('aborted')
  const stopTimer = timers.after(ms, () => pass('timeout'))
  if (caller?.aborted) onAbort()
  else caller?.addEventListener('abort', onAbort, { once: true })
  return {
    /** Undefined before the deadline. */
    passedBy: () => by,
    /** Calls `run` at the deadline. A later call replaces the `run` of an earlier one. */
    onPass: (run: () => void) => void (passed = run),
    /** Resolves or rejects like `work`, or rejects at the deadline. Do not call it during another call. */
    race<T>(work: () => Promise<T>): Promise<T> {
      if (by !== undefined) return Promise.reject(new Error(by))
      return new Promise((resolve, reject) => {
        lose = reject
        work().then(resolve, reject)
      })
    },
    close() {
      stopTimer()
      caller?.removeEventListener('abort', onAbort)
    },
  }
}

/** Resolves with `aborted` if the caller's signal ended the wait. */
export async function sleep(ms: number, caller: AbortSignal | undefined, timers: Timers): Promise<'over' | 'aborted'> {
  const deadline = deadlineAfter(ms, caller, timers)
  const forever = new Promise<never>(() => {})
  await deadline.race(() => forever).catch(() => {})
  deadline.close()
  return deadline.passedBy() === 'aborted' ? 'aborted' : 'over'
}
