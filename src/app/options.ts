import { type Duration, toMs } from '../base/duration.ts'
import { optionsInvalid } from '../base/errors.ts'
import { isLoopback } from '../base/host.ts'
import type { Log } from '../base/log.ts'
import type { Schema } from '../base/schema.ts'
import { isRecord } from '../base/value.ts'
import {
  aFunction,
  checkMembers,
  countFromOne,
  duration,
  expecting,
  hasMethod,
  isText,
  oneOf,
  positiveDuration,
  refuse,
  text,
} from '../base/option-checks.ts'
import { apiAddress } from '../client/options.ts'
import { HEADER_PREFIX_FORM } from '../contract/delivery.ts'
import { RECIPIENT_FORM } from '../contract/endpoints.ts'
import { DEFAULT_HEADER_PREFIX } from '../contract/index.ts'
import type { PostgresPool } from '../store/postgres/index.ts'
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
import {
  type Environment,
  listVariable,
  optionalMs,
  type OptionTable,
  settingsOf,
  type SettingsOf,
  variable,
  type Variable,
} from './option-table.ts'
import type { Role } from '../receive/bot-internals.ts'

export interface BotOptions<S = Schema, F = Paths, N = NumbersOption> extends NumberOptions {
  /**
   * The address of the service or of an emulator; default `SWITCHHOOK_BASE_URL`. Needed to send. Outside production
   * (`NODE_ENV`), `start()` refuses an address that is not this machine unless `allowedRecipients` is set.
   */
  baseUrl?: string
  /**
   * Several numbers by name, each with its own token and secret, or a source that is asked for them; the options above are
   * the short form of one number.
   */
  numbers?: N
  /** `ctx.session`: a schema of any library that implements Standard Schema, alone or with further options. */
  session?: S | SessionOptions<S>
  /** Paths or functions that find facts in payloads, by event and fact. A mapped fact is never guessed. */
  facts?: F
  /**
   * An SQLite file on a local disk, `:memory:`, or PostgreSQL by its address `postgres://…` or by a pool of the package `pg`,
   * which stays open. Default `SWITCHHOOK_DATABASE`, else `./switchhook.db`.
   */
  database?: string | PostgresPool
  /** The beginning of the delivery headers' names; default `SWITCHHOOK_HEADER_PREFIX`, else `X-Service-`. */
  headerPrefix?: string
  /**
   * The limits of handling one delivery: `max` attempts (default 8) `within` a span (default 24 h), each with a
   * `deadline` (default 30 s). Waiting inside `reply` does not count towards the deadline.
   */
  attempts?: { max?: number; within?: Duration; deadline?: Duration }
  /**
   * The number of customers whose deliveries are handled at the same time; default 64. Of several numbers one alone takes
   * seven eighths of them at most, so that another number's message begins at once.
   */
  lanes?: number
  /**
   * Messages that a customer writes in a row are handled as one: the handler finds all of them in `ctx.messages`. Such as
   * `{ quiet: '1500ms' }`; default: each is handled alone, at once.
   */
  burst?: BurstOptions
  /**
   * Phone numbers, in digits, that may be sent to; default `SWITCHHOOK_ALLOWED_RECIPIENTS`, else all. A send to another
   * number is the error `recipient_not_allowed`. Needed if `baseUrl` is not this machine and `NODE_ENV` is not
   * `production`.
   */
  allowedRecipients?: readonly string[]
  /** How long settled deliveries, and conversations that have ended, are kept. */
  retention?: RetentionOptions
  /** Default: pino at level info; `false` logs nothing. */
  logger?: false | Log
  /** Makes the requests to the service, for tests and proxies. Default: Node's own HTTP client. */
  fetch?: typeof fetch
  /** Wall time, for tests, in the place of the machine's and the database's: signatures, leases, back-off and, unless an emulator's clock was moved, the window. */
  clock?: () => Date
  /**
   * What happens to a send whose outcome is unknown. `repeat` (default): it is repeated with the same key for ten
   * minutes. `hold`: it is never repeated.
   */
  onUnknown?: 'repeat' | 'hold'
  /**
   * How long the service remembers an idempotency key from its first use: its specification says both. Default
   * `SWITCHHOOK_KEYS_REMEMBERED_FOR`, else `'24h'`: a send that was repeated is surely one message. `'until_settled'`:
   * each answer that was lost may have cost one message more, and such a send is marked `possiblyTwice`. `'literal'`: the
   * same, but for one-time codes.
   */
  keysRememberedFor?: '24h' | 'until_settled' | 'literal'
  /**
   * The age of a message from which a reply to it is recorded and shown, but not sent, so that last night's backlog is
   * not answered in the morning. Default: replies are always sent; `'12h'` is advised.
   */
  staleAfter?: Duration
  /**
   * How long a send pauses the service's agent for that customer: copy it from the dashboard, since the API does not
   * tell. It serves `ctx.agent` alone, which without it is never `'paused'`. No default.
   */
  takeoverWindow?: Duration
  /**
   * The customers that the bot may answer. `guessed` (default): also customers whose number was guessed and is
   * unmistakable in the payload. `mapped`: only customers that the option `facts` maps.
   */
  replies?: 'guessed' | 'mapped'
  /** The largest body of a delivery, in bytes; default 1 MiB. A larger one is answered 413. */
  bodyLimit?: number
  /** Stores deliveries whose signature holds but whose time does not; they are never handled (DEL-12). Default false. */
  keepStale?: boolean
  /**
   * What happens to the same signed bytes under another delivery id (SIG-07). `hold` (default): they are stored and
   * shown, not handled. `dispatch`: they are handled, which is safe for replies: their keys come from the signed content.
   */
  identicalDeliveries?: 'hold' | 'dispatch'
}

/** Everything else about each option: its check, its environment variable, its default. Durations become milliseconds. */
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
    check: oneOf('24h', 'until_settled', 'literal'),
    environment: variable('SWITCHHOOK_KEYS_REMEMBERED_FOR') as Variable<'24h' | 'until_settled' | 'literal'>,
    setting: (given = '24h') => given,
  },
  staleAfter: { check: positiveDuration, setting: optionalMs },
  takeoverWindow: { check: duration, setting: optionalMs },
  replies: { check: oneOf('guessed', 'mapped'), setting: (given = 'guessed') => given },
  bodyLimit: { check: countFromOne, setting: (given = 1_048_576) => given },
  keepStale: { check: oneOf(true, false), setting: (given = false) => given },
  identicalDeliveries: { check: oneOf('hold', 'dispatch'), setting: (given = 'hold') => given },
} satisfies OptionTable<Omit<BotOptions, keyof NumberOptions>>

export type Settings = Omit<SettingsOf<typeof OPTIONS>, 'numbers'> & {
  readonly numbers: NumbersSettings
  /** The service is an emulator on this machine, so that no send reaches a phone. */
  readonly local: boolean
  /** The control token of the emulator that `switchhook dev` runs beside the app. */
  readonly emulatorToken: string | undefined
  /** `NODE_ENV` is not `production`. */
  readonly development: boolean
}

/**
 * Refuses wrong options by name; values are not shown, since some are secret.
 *
 * @throws SwitchhookError `options_invalid`
 */
export function checkOptions(options: BotOptions): void {
  const given: unknown = options
  if (!isRecord(given)) throw refuse('createBot', 'an object of options', given)
  checkMembers(given, '', { ...NUMBER_OPTIONS, ...OPTIONS })
  refuseOptionsOfOne(options)
}

/**
 * Completes options that were checked.
 *
 * @throws SwitchhookError `environment_missing` with all that is missing at once; `options_invalid` if a value from the
 * environment is wrong, or if sends could reach somebody's phone by mistake.
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

/** There is no sandbox: outside production a real address needs a list of the recipients that may be sent to. */
function refuseRealPhones(settings: Settings): void {
  if (!maySend(settings) || settings.local || settings.allowedRecipients || !settings.development) return
  throw optionsInvalid(
    'baseUrl is not this machine, so every send reaches a real phone: set NODE_ENV=production, or list the recipients in allowedRecipients (SWITCHHOOK_ALLOWED_RECIPIENTS)',
  )
}

export interface StartOptions {
  /**
   * The part of the work that this process does, if several processes share one database and run the same code.
   * `'receive'` verifies, stores and answers deliveries, and leaves handlers and sends to others; `'work'` handles and sends, and
   * answers each delivery with 503; `'both'`, the default, does all of it. Default: `SWITCHHOOK_ROLE`.
   */
  role?: Role
  /**
   * The database was restored from a backup: sends that may have gone out since the backup was taken are held, until a
   * person releases them. It counts for this start alone; default: `SWITCHHOOK_RESTORED=1`. Without it a restore is noticed
   * if `<database>.generation` beside the file shows that an older copy took its place, or if sends are open and
   * that file is missing. Not noticed: a copy of the last hour that was not made by `switchhook backup`, a database that
   * was moved with that file, and a snapshot of a disk.
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
