import { type Duration, toMs } from '../base/duration.ts'
import { optionsInvalid } from '../base/errors.ts'
import { isLoopback } from '../base/host.ts'
import type { Log } from '../base/log.ts'
import type { Schema } from './standard-schema.ts'
import { isRecord } from '../base/value.ts'
import {
  aFunction,
  checkMembers,
  countFromOne,
  duration,
  type Environment,
  expecting,
  hasMethod,
  isText,
  listVariable,
  oneOf,
  optionalMs,
  type OptionTable,
  positiveDuration,
  refuse,
  settingsOf,
  type SettingsOf,
  text,
  variable,
  type Variable,
} from './option-checks.ts'
import { apiAddress } from '../client/client-options.ts'
import { HEADER_PREFIX_FORM } from '../service/delivery.ts'
import { RECIPIENT_FORM } from '../service/endpoints.ts'
import { DEFAULT_HEADER_PREFIX } from '../service/contract.ts'
import type { PostgresPool } from '../store/postgres/postgres-store.ts'
import {
  burstOptions,
  type BurstOptions,
  burstRules,
  databaseOption,
  factPaths,
  type Paths,
  retentionFrom,
  type RetentionOptions,
  type SessionOptions,
  sessionOptions,
  sessionRules,
} from './data-options.ts'
import {
  maySend,
  NUMBER_OPTIONS,
  type NumberOptions,
  numbersFrom,
  type NumbersOption,
  numbersOption,
  type NumbersSettings,
  refuseOptionsOfOne,
} from './numbers.ts'
import type { Role } from './in/bot-internals.ts'

export interface BotOptions<S = Schema, F = Paths, N = NumbersOption> extends NumberOptions {
  /**
   * The address of the service or of an emulator. Default `SWITCHHOOK_BASE_URL`. Needed to send. Outside production
   * (`NODE_ENV`), `start()` refuses an address on another machine unless `allowedRecipients` is set.
   */
  baseUrl?: string
  /** Several numbers by name, each with its own token and secret, or a source that looks them up. */
  numbers?: N
  /** Enables `ctx.session`. A schema of any library that implements Standard Schema, alone or with more options. */
  session?: S | SessionOptions<S>
  /** Paths or functions that find facts in payloads, by event and fact. A mapped fact is never guessed. */
  facts?: F
  /**
   * An SQLite file on a local disk, `:memory:`, or PostgreSQL: an address `postgres://…` or a pool of the package `pg`,
   * which stays open. Default `SWITCHHOOK_DATABASE`, else `./switchhook.db`.
   */
  database?: string | PostgresPool
  /** The prefix of the delivery headers' names. Default `SWITCHHOOK_HEADER_PREFIX`, else `X-Service-`. */
  headerPrefix?: string
  /**
   * The limits for handling one delivery: `max` attempts (default 8) `within` a span (default 24 h), each with a
   * `deadline` (default 30 s). Waiting inside `reply` does not count towards the deadline.
   */
  attempts?: { max?: number; within?: Duration; deadline?: Duration }
  /** How many customers are handled at a time. Default 64. */
  lanes?: number
  /** Messages in a row are handled as one, in `ctx.messages`. Example: `{ quiet: '1500ms' }`. Default: each alone. */
  burst?: BurstOptions
  /**
   * Phone numbers in digits that the bot may send to. Default `SWITCHHOOK_ALLOWED_RECIPIENTS`, else all. A send to
   * another number throws `recipient_not_allowed`. Needed if `baseUrl` is not this machine and `NODE_ENV` is not
   * `production`.
   */
  allowedRecipients?: readonly string[]
  /** How long settled deliveries and ended conversations are kept. */
  retention?: RetentionOptions
  /** Default: pino at level info; `false` logs nothing. */
  logger?: false | Log
  /** Makes the requests to the service, for tests and proxies. Default: Node's own HTTP client. */
  fetch?: typeof fetch
  /** Wall time for tests: of signatures, leases, back-off and, unless an emulator's clock was moved, the window. */
  clock?: () => Date
  /** `repeat` (default): an unknown send is repeated under its key for ten minutes. `hold`: it is never repeated. */
  onUnknown?: 'repeat' | 'hold'
  /**
   * How long the service remembers an idempotency key after its first use. The specification is ambiguous. Default
   * `SWITCHHOOK_KEYS_REMEMBERED_FOR`, else `'24h'`: a repeated send is one message. `'until_settled'`: a repeat after a
   * lost response may be a second message, so the send is marked `possiblyTwice`.
   */
  keysRememberedFor?: '24h' | 'until_settled'
  /** A reply to an older message is recorded and not sent. Default: each is sent. Recommended: `'12h'`. */
  staleAfter?: Duration
  /** While somebody else has the customer: `rest` (default) only stores messages, `run` runs routes without replies. */
  takenOver?: 'rest' | 'run'
  /** `guessed` (default) answers also a number that is unmistakable in the payload, `mapped` only one of `facts`. */
  replies?: 'guessed' | 'mapped'
  /** The largest body of a delivery, in bytes. Default 1 MiB. A larger one gets 413. */
  bodyLimit?: number
  /** Stores deliveries with a valid signature and an expired time, without handling them (DEL-12). Default false. */
  keepStale?: boolean
  /** The same signed bytes under another id (SIG-07): `hold` (default) only stores them, `dispatch` handles them. */
  identicalDeliveries?: 'hold' | 'dispatch'
}

/** The check, environment variable and default of each option. Durations become milliseconds. */
const OPTIONS = {
  baseUrl: {
    check: text,
    environment: variable('SWITCHHOOK_BASE_URL'),
    setting(given) {
      if (given !== undefined) apiAddress(given)
      return given
    },
  },
  numbers: { check: numbersOption, setting: (given) => given },
  session: { check: sessionOptions, setting: sessionRules },
  facts: { check: factPaths, setting: (given) => given },
  database: databaseOption,
  headerPrefix: {
    check: expecting("a prefix such as 'X-Service-'", (value) => isText(value) && HEADER_PREFIX_FORM.test(value)),
    environment: variable('SWITCHHOOK_HEADER_PREFIX'),
    setting: (given = DEFAULT_HEADER_PREFIX) => given,
  },
  attempts: {
    check: (value, name) =>
      checkMembers(value, name, { max: countFromOne, within: duration, deadline: positiveDuration }),
    setting: ({ max = 8, within = '24h', deadline = '30s' } = {}) => ({
      max,
      withinMs: toMs(within),
      deadlineMs: toMs(deadline),
    }),
  },
  lanes: { check: countFromOne, setting: (given = 64) => given },
  burst: { check: burstOptions, setting: burstRules },
  allowedRecipients: {
    check: expecting(
      'a list of phone numbers of 6 to 20 digits, without +',
      (value) => Array.isArray(value) && value.every((one) => RECIPIENT_FORM.test(String(one))),
    ),
    environment: listVariable('SWITCHHOOK_ALLOWED_RECIPIENTS'),
    setting: (given): ReadonlySet<string> | undefined => given && new Set(given.map(String)),
  },
  retention: {
    check(value, name) {
      checkMembers(value, name, { bytes: duration, ids: duration })
      retentionFrom(value as RetentionOptions)
    },
    setting: retentionFrom,
  },
  logger: {
    check: expecting(
      'false, or a logger with debug, info, warn and error',
      (value) => value === false || ['debug', 'info', 'warn', 'error'].every((level) => hasMethod(value, level)),
    ),
    setting: (given) => given,
  },
  fetch: { check: aFunction, setting: (given) => given },
  clock: { check: aFunction, setting: (given) => given },
  onUnknown: { check: oneOf('repeat', 'hold'), setting: (given = 'repeat') => given },
  keysRememberedFor: {
    check: oneOf('24h', 'until_settled'),
    environment: variable('SWITCHHOOK_KEYS_REMEMBERED_FOR') as Variable<'24h' | 'until_settled'>,
    setting: (given = '24h') => given,
  },
  staleAfter: { check: positiveDuration, setting: optionalMs },
  takenOver: { check: oneOf('rest', 'run'), setting: (given = 'rest') => given },
  replies: { check: oneOf('guessed', 'mapped'), setting: (given = 'guessed') => given },
  bodyLimit: { check: countFromOne, setting: (given = 1_048_576) => given },
  keepStale: { check: oneOf(true, false), setting: (given = false) => given },
  identicalDeliveries: { check: oneOf('hold', 'dispatch'), setting: (given = 'hold') => given },
} satisfies OptionTable<Omit<BotOptions, keyof NumberOptions>>

export type Settings = Omit<SettingsOf<typeof OPTIONS>, 'numbers'> & {
  readonly numbers: NumbersSettings
  /** The service is an emulator on this machine, so no send reaches a phone. */
  readonly local: boolean
  /** The control token of the emulator that `switchhook dev` runs beside the app. */
  readonly emulatorToken: string | undefined
  /** `NODE_ENV` is not `production`. */
  readonly development: boolean
}

/** Refuses wrong options by name, without their values: some are secret. @throws SwitchhookError `options_invalid` */
export function checkOptions(options: BotOptions): void {
  const given: unknown = options
  if (!isRecord(given)) throw refuse('createBot', 'an object of options', given)
  checkMembers(given, '', { ...NUMBER_OPTIONS, ...OPTIONS })
  refuseOptionsOfOne(options)
}

/**
 * Applies environment and defaults to checked options.
 *
 * @throws SwitchhookError `environment_missing`, listing everything that is missing; `options_invalid` if a value from
 * the environment is wrong, or if sends could reach somebody's phone by mistake.
 */
export function settingsFrom(options: BotOptions, environment: Environment): Settings {
  const own = settingsOf(OPTIONS, options, environment)
  const numbers = numbersFrom(options, own.baseUrl, environment)
  const local = own.baseUrl !== undefined && isLoopback(own.baseUrl)
  const development = environment['NODE_ENV'] !== 'production'
  const emulatorToken = local ? environment['SWITCHHOOK_CONTROL_TOKEN'] : undefined
  const settings = { ...own, numbers, local, emulatorToken, development }
  refuseRealPhones(settings)
  return settings
}

/** The service has no sandbox. So outside production a real address needs a list of allowed recipients. */
function refuseRealPhones(settings: Settings): void {
  if (!maySend(settings) || settings.local || settings.allowedRecipients || !settings.development) return
  throw optionsInvalid(
    'baseUrl is not this machine, so every send reaches a real phone: set NODE_ENV=production, or list the recipients in allowedRecipients (SWITCHHOOK_ALLOWED_RECIPIENTS)',
  )
}

export interface StartOptions {
  /**
   * The work of this process, if several processes share one database and run the same code. `'receive'` verifies,
   * stores and answers deliveries. `'work'` handles and sends, and answers each delivery with 503. `'both'` (default)
   * does all of it. Default: `SWITCHHOOK_ROLE`.
   */
  role?: Role
  /**
   * The database was restored from a backup: sends that may have gone out since the backup are held until a person
   * releases them. Applies only to this start. Default: `SWITCHHOOK_RESTORED=1`. A restore is also detected if
   * `<database>.generation` beside the file shows that an older copy took its place, or if sends are open and that file
   * is missing. Not detected: a copy from the last hour that was not made by `switchhook backup`, a database that was
   * moved with that file, and a snapshot of a disk.
   */
  restored?: boolean
}

const START_OPTIONS = {
  role: {
    check: oneOf('both', 'receive', 'work'),
    environment: variable('SWITCHHOOK_ROLE') as Variable<Role>,
    setting: (given) => given ?? 'both',
  },
  restored: {
    check: expecting('true or false', (value) => typeof value === 'boolean'),
    environment: {
      name: 'SWITCHHOOK_RESTORED',
      read: (environment) => (environment['SWITCHHOOK_RESTORED'] === '1' ? true : undefined),
    },
    setting: (given) => given ?? false,
  },
} satisfies OptionTable<StartOptions>

/** @throws SwitchhookError `options_invalid` */
export function startSettings(asked: StartOptions, environment: Environment) {
  checkMembers(asked, 'start()', START_OPTIONS)
  return settingsOf(START_OPTIONS, asked, environment)
}
