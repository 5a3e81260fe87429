import { realTimers, type Random, type Timers } from '../base/clock.ts'
import { type Duration, toMs } from '../base/duration.ts'
import { SwitchhookError } from '../base/errors.ts'
import { isLoopback } from '../base/loopback.ts'
import { digitsOf, type Validation } from '../content/index.ts'
import { apiAddress } from './address.ts'
import { headerValue } from './header-value.ts'
import type { AttemptReport, ClientOptions, Limits } from './options.ts'
import { tokensFrom } from './token.ts'
import { VERSION } from './version.ts'

/** The options, checked and complete. */
export interface Settings {
  /** Ends in `/api/v2`. */
  readonly address: string
  readonly loopback: boolean
  readonly token: () => Promise<string>
  /** Whether asking for the token again can give another one. */
  readonly tokenMayChange: boolean
  readonly phoneNumberId: string | undefined
  readonly allowedRecipients: ReadonlySet<string> | undefined
  readonly fetch: typeof fetch
  /** Milliseconds. */
  readonly timeout: number
  /** Milliseconds. */
  readonly deadline: number
  readonly maxRetries: number
  readonly validation: Validation
  readonly warn: (problem: string) => void
  readonly userAgent: string
  readonly onAttempt: (attempt: AttemptReport) => void
  readonly onOffset: (ms: number) => void
  readonly random: Random
  readonly timers: Timers
  readonly now: () => number
}

const nothing = () => {}

export function settingsFrom(options: ClientOptions): Settings {
  const address = apiAddress(options.baseUrl)
  const { fetch, userAgent, phoneNumberId, allowedRecipients, accessToken, validation = 'strict', warn } = options
  if (fetch !== undefined && typeof fetch !== 'function') refuse('fetch', 'a function', fetch)
  if (!['strict', 'warn', 'off'].includes(validation)) refuse('validation', "'strict', 'warn' or 'off'", validation)
  return {
    address,
    loopback: isLoopback(address),
    token: tokensFrom(accessToken),
    tokenMayChange: typeof accessToken === 'function',
    phoneNumberId: phoneNumberId === undefined ? undefined : headerValue('phoneNumberId', phoneNumberId),
    allowedRecipients: allowedRecipients && new Set(allowedRecipients.map(digitsOf)),
    fetch: fetch ?? ((...call) => globalThis.fetch(...call)),
    ...limitsFrom(options, { timeout: 30_000, deadline: 120_000, maxRetries: 3 }),
    validation,
    warn: warn ?? (validation === 'warn' ? (problem) => process.emitWarning(problem) : nothing),
    userAgent: `switchhook/${VERSION}${userAgent === undefined ? '' : ` ${headerValue('userAgent', userAgent)}`}`,
    onAttempt: options.onAttempt ?? nothing,
    onOffset: options.onOffset ?? nothing,
    random: options.random ?? Math.random,
    timers: options.timers ?? realTimers,
    now: options.now ?? (() => performance.now()),
  }
}

type Bounds = Pick<Settings, 'timeout' | 'deadline' | 'maxRetries'>

/** The client's settings with what this call says otherwise, each alone. */
export function settingsOf(settings: Settings, limits: Limits): Settings {
  return { ...settings, ...limitsFrom(limits, settings) }
}

function limitsFrom({ timeout, deadline, maxRetries }: Limits, usual: Bounds): Bounds {
  if (maxRetries !== undefined && (!Number.isSafeInteger(maxRetries) || maxRetries < 0))
    refuse('maxRetries', 'a whole number from 0 on', maxRetries)
  return {
    timeout: timeout === undefined ? usual.timeout : timeFor(timeout, 'timeout'),
    deadline: deadline === undefined ? usual.deadline : timeFor(deadline, 'deadline'),
    maxRetries: maxRetries ?? usual.maxRetries,
  }
}

/** Milliseconds in which something is to be done: with none, a message would go out and its answer not be waited for. */
export function timeFor(span: Duration, name: string): number {
  const ms = toMs(span, name)
  return ms > 0 ? ms : refuse(name, "a span above zero such as '30s'", span)
}

function refuse(name: string, expected: string, came: unknown): never {
  throw new SwitchhookError('options_invalid', `${name}: expected ${expected}, got ${String(came)}`)
}
