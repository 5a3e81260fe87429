import { realTimers, type Random, type Timers } from '../base/clock.ts'
import { type Duration, toMs } from '../base/duration.ts'
import { SwitchhookError } from '../base/errors.ts'
import { isLoopback } from '../base/loopback.ts'
import { apiAddress } from './address.ts'
import { headerValue } from './header-value.ts'
import { type TokenSource, tokensFrom } from './token.ts'
import { VERSION } from './version.ts'

export interface ClientOptions {
  /** The service's base address: https, or http on this machine; with or without `/api/v2` at its end (GEN-01). */
  baseUrl: string
  /** The number's token, or a function that gives it, asked at every attempt (AUTH-02). */
  accessToken: TokenSource
  /** Names the number where one token is held by several (SEND-19). */
  phoneNumberId?: string | undefined
  /** Default: `globalThis.fetch`, looked up at each attempt. */
  fetch?: typeof fetch | undefined
  /** How long one attempt may take, its body included. Default `'30s'`. */
  attemptTimeout?: Duration | undefined
  /** How long a call may take with all its attempts and waits. Default `'120s'`. */
  deadline?: Duration | undefined
  /** Repeats after 429, 5xx or no answer. Default 3; 0 repeats nothing at all. */
  retries?: number | undefined
  /** Stands behind `switchhook/<version>` in the `User-Agent`. */
  userAgent?: string | undefined
  /** Hears an emulator's clock offset, in milliseconds; only where `baseUrl` is this machine. */
  onOffset?: ((ms: number) => void) | undefined
  /** For tests: chance in [0, 1), passing time, and a clock in milliseconds that never goes back. */
  random?: Random | undefined
  timers?: Timers | undefined
  now?: (() => number) | undefined
}

/** The options, checked and complete. */
export interface Settings {
  /** Ends in `/api/v2`. */
  readonly address: string
  readonly loopback: boolean
  readonly token: () => Promise<string>
  readonly phoneNumberId: string | undefined
  readonly fetch: typeof fetch
  readonly attemptTimeout: number
  readonly deadline: number
  readonly retries: number
  readonly userAgent: string
  readonly onOffset: (ms: number) => void
  readonly random: Random
  readonly timers: Timers
  readonly now: () => number
}

export function settingsFrom(options: ClientOptions): Settings {
  const address = apiAddress(options.baseUrl)
  const { retries = 3, fetch, userAgent, phoneNumberId } = options
  if (!Number.isSafeInteger(retries) || retries < 0) refuse('retries', 'a whole number from 0 on', retries)
  if (fetch !== undefined && typeof fetch !== 'function') refuse('fetch', 'a function', fetch)
  return {
    address,
    loopback: isLoopback(address),
    token: tokensFrom(options.accessToken),
    phoneNumberId: phoneNumberId === undefined ? undefined : headerValue('phoneNumberId', phoneNumberId),
    fetch: fetch ?? ((...call) => globalThis.fetch(...call)),
    attemptTimeout: toMs(options.attemptTimeout ?? '30s', 'attemptTimeout'),
    deadline: toMs(options.deadline ?? '120s', 'deadline'),
    retries,
    userAgent: `switchhook/${VERSION}${userAgent === undefined ? '' : ` ${headerValue('userAgent', userAgent)}`}`,
    onOffset: options.onOffset ?? (() => {}),
    random: options.random ?? Math.random,
    timers: options.timers ?? realTimers,
    now: options.now ?? (() => performance.now()),
  }
}

function refuse(name: string, expected: string, came: unknown): never {
  throw new SwitchhookError('options_invalid', `${name}: expected ${expected}, got ${String(came)}`)
}
