import { realTimers, type Random, type Timers } from '../base/clock.ts'
import { type Duration, toMs } from '../base/duration.ts'
import { optionsInvalid, readError } from '../base/errors.ts'
import { isLoopback } from '../base/host.ts'
import { API_PREFIX } from '../service/endpoints.ts'
import { ApiError } from './api-errors.ts'
import { headerValue } from './key-from.ts'

export interface ClientOptions {
  /** The service's base address: https, or http on this machine, with or without `/api/v2` at its end (GEN-01). */
  baseUrl: string
  /**
   * The number's token, or a function that returns it and is called at every attempt (AUTH-02). After a 401 a call is
   * tried again under the same key, with the token that the function returns then. The specification does not state
   * whether the service still knows a key after a number was reconnected.
   */
  accessToken: TokenSource
  /** The number's id, if several numbers share the token (SEND-19). */
  phoneNumberId?: string | undefined
  /** How long one attempt may take, including its body. Default `'30s'`. */
  timeout?: Duration | undefined
  /** How long a call may take with all its attempts and waits. Default `'120s'`. */
  deadline?: Duration | undefined
  /** Retries after 429, 5xx or no answer. Default 3. With 0 there are no retries. */
  maxRetries?: number | undefined
  /**
   * Makes the requests, for tests and proxies. Default: Node's own HTTP client, which needs a quarter of the CPU of
   * Node's `fetch`.
   */
  fetch?: typeof fetch | undefined
  /** Called with an emulator's clock offset, in milliseconds. Called only if `baseUrl` is this machine. */
  onOffset?: ((ms: number) => void) | undefined
  /** For tests: random numbers in [0, 1), timers, and a clock in milliseconds that never goes back. */
  random?: Random | undefined
  timers?: Timers | undefined
  now?: (() => number) | undefined
}

/** The token, or a function that returns the current one. */
export type TokenSource = string | (() => string | Promise<string>)

export type Settings = Readonly<ReturnType<typeof settingsFrom>>

export function settingsFrom(options: ClientOptions) {
  const address = new URL(apiAddress(options.baseUrl))
  const { fetch, phoneNumberId, accessToken, timeout = '30s', deadline = '120s', maxRetries = 3 } = options
  if (!Number.isSafeInteger(maxRetries) || maxRetries < 0) refuse('maxRetries', 'a whole number from 0 on', maxRetries)
  if (fetch !== undefined && typeof fetch !== 'function') refuse('fetch', 'a function', fetch)
  return {
    /** Its path ends in `/api/v2`. */
    address,
    loopback: isLoopback(address.href),
    token: tokensFrom(accessToken),
    tokenMayChange: typeof accessToken === 'function',
    phoneNumberId: phoneNumberId === undefined ? undefined : headerValue('phoneNumberId', phoneNumberId),
    fetch,
    timeout: positiveMs(timeout, 'timeout'),
    deadline: positiveMs(deadline, 'deadline'),
    maxRetries,
    onOffset: options.onOffset ?? (() => {}),
    random: options.random ?? Math.random,
    timers: options.timers ?? realTimers,
    now: options.now ?? (() => performance.now()),
  }
}

/** Refuses zero: a message would go out, and nothing would wait for its answer. */
export function positiveMs(span: Duration, name: string): number {
  const ms = toMs(span, name)
  return ms > 0 ? ms : refuse(name, "a span above zero such as '30s'", span)
}

function refuse(name: string, expected: string, came: unknown): never {
  throw optionsInvalid(`${name}: expected ${expected}, got ${String(came)}`)
}

/** Accepts the address with and without `/api/v2` (GEN-01). No error repeats all of it. */
export function apiAddress(baseUrl: string): string {
  if (typeof (baseUrl as unknown) !== 'string' || !URL.canParse(baseUrl))
    refuseBaseUrl('expected a full address such as https://service.example')
  const url = new URL(baseUrl)
  if (!/^https?:$/.test(url.protocol) && !baseUrl.includes('://'))
    refuseBaseUrl('expected a full address such as http://127.0.0.1:4747: http:// or https:// is missing')
  if (url.username !== '' || url.password !== '')
    refuseBaseUrl('must not contain a user name or password: set accessToken')
  if (url.search !== '' || url.hash !== '') refuseBaseUrl('must not contain a query or fragment')
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.href)))
    refuseBaseUrl(
      `must be https (http only on this machine): the token goes with every request, got ${url.protocol}//${url.host}`,
    )
  const path = url.pathname.replace(/\/+$/, '')
  const version = /\/api\/v[0-9]+(?=\/|$)/.exec(path)
  if (version === null) return `${url.origin}${path}${API_PREFIX}`
  if (version[0] !== API_PREFIX)
    refuseBaseUrl(`must not contain ${version[0]}: this client supports only ${API_PREFIX} (GEN-14)`)
  if (!path.endsWith(API_PREFIX) || version.index + API_PREFIX.length !== path.length)
    refuseBaseUrl(`must end in ${API_PREFIX}, or before it: the client adds the endpoints`)
  return `${url.origin}${path}`
}

function refuseBaseUrl(why: string): never {
  throw optionsInvalid(`baseUrl: ${why}`)
}

/** The function is called at each attempt, so a new token needs no restart. No error contains the token. */
function tokensFrom(source: TokenSource): () => Promise<string> {
  if (typeof source !== 'function') {
    const why = whyUnusable(source)
    if (why !== undefined) throw optionsInvalid(`accessToken: ${why}`)
    return () => Promise.resolve(source)
  }
  return async () => {
    const token = await resolved(source)
    const why = whyUnusable(token)
    if (why !== undefined) throw ApiError.withoutToken(`accessToken(): ${why}; nothing was sent`)
    return token
  }
}

async function resolved(source: () => string | Promise<string>): Promise<string> {
  try {
    return await source()
  } catch (error) {
    // The error's message is the app's, and may contain a secret.
    const { name } = readError(error)
    throw ApiError.withoutToken(`accessToken(): the function failed with ${name}; nothing was sent`)
  }
}

function whyUnusable(token: unknown): string | undefined {
  if (typeof token !== 'string') return `expected a string, got ${token === null ? 'null' : typeof token}`
  if (token.trim() === '') return 'expected a token, got a blank string'
  if (/^bearer\s/i.test(token)) return 'expected only the token, without the word Bearer'
  if (/\s/.test(token)) return 'contains a space or line break: trim a value from a file or a variable'
  // oxlint-disable-next-line no-control-regex -- finds control characters
  if (/[\x00-\x1f\x7f-\x9f]/.test(token)) return 'contains a control character'
  // oxlint-disable-next-line no-control-regex -- the whole of Latin-1
  if (!/^[\x00-\xff]*$/.test(token))
    return 'contains a character that is not allowed in a header: was it copied with an ellipsis?'
  return undefined
}
