import { type Duration, toMs } from '../base/duration.ts'
import { SwitchhookError } from '../base/errors.ts'
import { isLoopback } from '../base/loopback.ts'
import { isSchema } from '../base/schema.ts'
import { apiAddress } from '../client/options.ts'
import { DEFAULT_HEADER_PREFIX } from '../contract/index.ts'
import type { SessionRules } from '../dispatch/index.ts'
import { checkOptions } from './check-options.ts'
import type { BotOptions, NumberOptions, Source } from './options.ts'
import { type Retention, retentionOf } from './retention.ts'

/** Options, environment and defaults, made complete once: whoever reads them meets no missing value. */
export interface Settings {
  readonly baseUrl: string | undefined
  readonly numbers: readonly NumberSettings[]
  readonly database: string
  readonly headerPrefix: string
  readonly attempts: { readonly max: number; readonly withinMs: number; readonly deadlineMs: number }
  readonly lanes: number
  readonly retention: Retention
  readonly allowedRecipients: ReadonlySet<string> | undefined
  readonly onUnknown: 'repeat' | 'hold'
  /** Milliseconds; undefined: a reply is never too late. */
  readonly staleAfterMs: number | undefined
  /** Milliseconds; undefined: not known. */
  readonly takeoverMs: number | undefined
  readonly session: SessionRules | undefined
  readonly facts: BotOptions['facts'] | undefined
  readonly answersGuessed: boolean
  readonly validation: 'strict' | 'warn' | 'off'
  readonly bodyLimit: number
  readonly keepStale: boolean
  readonly dispatchIdentical: boolean
  /** Whether the other side is this very machine: an emulator, and no handset. */
  readonly local: boolean
}

export interface NumberSettings {
  readonly name: string
  readonly accessToken: Source<string> | undefined
  readonly signingSecret: Source<string | readonly string[]>
  readonly phoneNumberId: string | undefined
}

export type Environment = Readonly<Record<string, string | undefined>>

const MEBIBYTE = 1_048_576

/**
 * @throws SwitchhookError `environment_missing` with all that is missing at once; `options_invalid` where sends
 * could reach somebody's phone by mistake.
 */
export function settingsFrom(options: BotOptions, environment: Environment): Settings {
  const baseUrl = options.baseUrl ?? filled(environment['SWITCHHOOK_BASE_URL'])
  const numbers = numbersFrom(options, environment)
  requireAll(numbers, baseUrl)
  const allowed = options.allowedRecipients ?? split(environment['SWITCHHOOK_ALLOWED_RECIPIENTS'])
  const settings: Settings = {
    baseUrl,
    numbers: numbers as NumberSettings[],
    database: options.database ?? filled(environment['SWITCHHOOK_DATABASE']) ?? './switchhook.db',
    headerPrefix: options.headerPrefix ?? filled(environment['SWITCHHOOK_HEADER_PREFIX']) ?? DEFAULT_HEADER_PREFIX,
    attempts: {
      max: options.attempts?.max ?? 8,
      withinMs: toMs(options.attempts?.within ?? '24h', 'attempts.within'),
      deadlineMs: toMs(options.attempts?.deadline ?? '30s', 'attempts.deadline'),
    },
    lanes: options.lanes ?? 16,
    retention: retentionOf(options.retention),
    allowedRecipients: allowed && new Set(allowed.map(String)),
    onUnknown: options.onUnknown ?? 'repeat',
    staleAfterMs: spanOf(options.staleAfter, 'staleAfter'),
    takeoverMs: spanOf(options.takeoverWindow, 'takeoverWindow'),
    session: sessionFrom(options.session),
    facts: options.facts,
    answersGuessed: options.replies !== 'locked',
    validation: options.validation ?? 'strict',
    bodyLimit: options.bodyLimit ?? MEBIBYTE,
    keepStale: options.keepStale ?? false,
    dispatchIdentical: options.identicalDeliveries === 'dispatch',
    local: baseUrl !== undefined && isLoopback(baseUrl),
  }
  checkValues(settings)
  guardHandsets(settings, environment)
  return settings
}

type Half = Omit<NumberSettings, 'signingSecret'> & {
  readonly signingSecret: NumberSettings['signingSecret'] | undefined
}

function numbersFrom(options: BotOptions, environment: Environment): Half[] {
  if (options.numbers) return Object.entries(options.numbers).map(([name, number]) => ({ name, ...complete(number) }))
  const single: NumberOptions = {
    ...present('accessToken', filled(environment['SWITCHHOOK_ACCESS_TOKEN'])),
    ...present('signingSecret', split(environment['SWITCHHOOK_SIGNING_SECRET'])),
    ...present('phoneNumberId', filled(environment['SWITCHHOOK_PHONE_NUMBER_ID'])),
    ...present('accessToken', options.accessToken),
    ...present('signingSecret', options.signingSecret),
    ...present('phoneNumberId', options.phoneNumberId),
  }
  return [{ name: 'default', ...complete(single) }]
}

function complete({ accessToken, signingSecret, phoneNumberId }: NumberOptions): Omit<Half, 'name'> {
  return { accessToken, signingSecret, phoneNumberId }
}

function requireAll(numbers: readonly Half[], baseUrl: string | undefined): void {
  const missing = numbers
    .filter((number) => number.signingSecret === undefined)
    .map(({ name }) =>
      name === 'default'
        ? 'SWITCHHOOK_SIGNING_SECRET (or the option signingSecret)'
        : `the option numbers.${name}.signingSecret`,
    )
  if (baseUrl === undefined && numbers.some((number) => number.accessToken !== undefined))
    missing.push('SWITCHHOOK_BASE_URL (or the option baseUrl): an access token is given, but not where to send')
  if (missing.length === 0) return
  throw new SwitchhookError('environment_missing', `the bot cannot start without: ${missing.join('; ')}`)
}

/** What came from the environment is held to the same as an option. */
function checkValues({ headerPrefix, allowedRecipients, baseUrl }: Settings): void {
  checkOptions({ headerPrefix, ...(allowedRecipients && { allowedRecipients: [...allowedRecipients] }) })
  // Before it is asked whose machine it is: `localhost:4747` without http:// would seem to be nobody's.
  if (baseUrl !== undefined) apiAddress(baseUrl)
}

/** There is no sandbox: outside production a real address needs a list of who may be sent to. */
function guardHandsets(settings: Settings, environment: Environment): void {
  const sends = settings.numbers.some((number) => number.accessToken !== undefined)
  if (!sends || settings.local || settings.allowedRecipients || environment['NODE_ENV'] === 'production') return
  throw new SwitchhookError(
    'options_invalid',
    'baseUrl is not this machine, so every send reaches a real phone: set NODE_ENV=production, or name who may be sent to in allowedRecipients (SWITCHHOOK_ALLOWED_RECIPIENTS)',
  )
}

function sessionFrom(given: BotOptions['session']): SessionRules | undefined {
  if (given === undefined) return undefined
  const { schema, ttl, version = 1, migrate } = isSchema(given) ? { schema: given } : given
  return { schema, version, migrate, ttlMs: spanOf(ttl, 'session.ttl') }
}

function spanOf(span: Duration | undefined, name: string): number | undefined {
  return span === undefined ? undefined : toMs(span, name)
}

function filled(value: string | undefined): string | undefined {
  return value === undefined || value.trim() === '' ? undefined : value.trim()
}

function split(value: string | undefined): string[] | undefined {
  const parts = (value ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
  return parts.length > 0 ? parts : undefined
}

function present<K extends string, V>(name: K, value: V | undefined): { [X in K]?: V } {
  return value === undefined ? {} : ({ [name]: value } as { [X in K]: V })
}
