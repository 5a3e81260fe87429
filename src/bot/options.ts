import { type Duration, toMs } from '../base/duration.ts'
import { optionsInvalid, reasonOf } from '../base/errors.ts'
import { isLoopback } from '../base/host.ts'
import type { Log } from '../base/log.ts'
import type { Schema } from './standard-schema.ts'
import { isRecord } from '../base/value.ts'
import {
  aFunction,
  checkMembers,
  type Checks,
  countFromOne,
  duration,
  type Environment,
  expecting,
  hasMethod,
  isText,
  oneOf,
  optionalMs,
  positiveDuration,
  refuse,
  text,
  type Variables,
  withVariables,
} from './option-checks.ts'
import { apiAddress } from '../client/client-options.ts'
import { HEADER_PREFIX_FORM, RECIPIENT_FORM } from '../service/endpoints.ts'
import { digitsOf } from '../service/recipient.ts'
import { DEFAULT_HEADER_PREFIX, type KnownStatus, STATUSES } from '../service/delivery.ts'
import type { PostgresPool } from '../store/postgres/pool.ts'
import { factPaths, type Paths, wordsFor, wordsIn } from './payload-options.ts'
import { type SessionOptions, sessionOption, sessionRules } from './work/session.ts'
import { checkIdsAge } from '../store/maintenance/maintenance.ts'
import * as builtIn from '../built-in/bot-options.ts'
import type { OptionMembers } from '../built-in/option-members.ts'
import type { BuiltInOption } from './feature.ts'
import { KNOWN_KINDS } from '../service/message-kinds.ts'
import type { CompiledRoutes } from './routes/compile.ts'
import type { Message } from './routes/context.ts'
import {
  isSourceSettings,
  NUMBER_CHECKS,
  type NumberOptions,
  numbersFrom,
  type NumbersOption,
  numbersOption,
  refuseOptionsOfOne,
} from './number-options.ts'
import type { IngestRules } from './inbox/read-delivery.ts'
import type { Role } from './bot-internals.ts'
import { type Long, long } from './outbox/send-options.ts'
import { sameCustomerBy } from './same-customer.ts'

export interface BotOptions<S = Schema, F = Paths, N = NumbersOption> extends NumberOptions, OptionMembers {
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
  /** What the payloads call a kind of message, such as `{ photo: 'image' }`. See docs/payloads.md for the kinds. */
  kinds?: Readonly<Record<string, Message['kind']>>
  /** What the payloads call a status, such as `{ reached: 'delivered' }`. */
  statuses?: Readonly<Record<string, KnownStatus>>
  /**
   * Gives all spellings of a customer's number the same digits: `brazil`, `mexico` or `argentina` of
   * `switchhook/comfort`, or your own function. It must return its own result unchanged. Default: each number is
   * another customer. A stored database is moved to another rule by `switchhook database recustomer`.
   */
  sameCustomer?: (digits: string) => string
  /**
   * An SQLite file on a local disk, `:memory:`, or PostgreSQL: an address `postgres://…` or a pool of the package `pg`,
   * which stays open. Default `SWITCHHOOK_DATABASE`, else `./switchhook.db`.
   */
  database?: string | PostgresPool
  /**
   * PostgreSQL: another role that may own the schema `switchhook`. It can drop acknowledged messages. The bot's role,
   * roles that it belongs to, the database's owner and superusers may own it without this option. Default
   * `SWITCHHOOK_SCHEMA_OWNER`.
   */
  schemaOwner?: string
  /** The prefix of the delivery headers' names. Default `SWITCHHOOK_HEADER_PREFIX`, else `X-Service-`. */
  headerPrefix?: string
  /**
   * The limits for handling one delivery: `max` attempts (default 8) `within` a span (default 24 h), each with a
   * `deadline` (default 30 s). Waiting inside `reply` does not count towards the deadline.
   */
  attempts?: { max?: number; within?: Duration; deadline?: Duration }
  /** How many customers are handled at a time. Default 64. With several numbers, one uses at most 56 of 64. */
  lanes?: number
  /**
   * Handles at most so many messages of one customer in a span, such as `{ messages: 30, every: '1m' }`, so that two
   * bots that answer each other come to an end. More are parked as `over_limit`, except STOP. Default: no limit.
   */
  perCustomer?: { messages: number; every: Duration }
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
  /**
   * Parameters of templates with a newline, a tab or more than four blanks, and empty ones: `refuse` (default) throws
   * `content_invalid`, as comparable platforms refuse them. The specification does not say. `send` leaves it to the
   * service.
   */
  templateParameters?: 'refuse' | 'send'
  /** Texts of more than 4096 characters: `split` sends several messages, `refuse` (default) throws `content_invalid`. */
  long?: Long
  /** A reply to a message older than this is recorded and not sent. Default: each is sent. Recommended: `'12h'`. */
  staleAfter?: Duration
  /**
   * `guessed` (default) also answers a number that is unmistakable in the payload. `mapped` answers only a number that
   * `facts` gives.
   */
  replies?: 'guessed' | 'mapped'
  /** The largest body of a delivery, in bytes. Default 1 MiB. A larger one gets 413. */
  bodyLimit?: number
  /** Stores deliveries with a valid signature and an expired time, without handling them (DEL-12). Default false. */
  keepStale?: boolean
  /** The same signed bytes under another id (SIG-07): `hold` (default) only stores them, `dispatch` handles them. */
  identicalDeliveries?: 'hold' | 'dispatch'
}

/** How long settled deliveries are kept. Others (waiting, parked, dead, quarantined) are kept without a limit. */
export interface RetentionOptions {
  /** The body and the facts in it. Default 7 days. */
  bytes?: Duration
  /**
   * Everything else, which detects duplicates and prevents second replies. Also ended conversations with their journals
   * and sends. Default 30 days. At least `bytes` and 10 minutes.
   */
  ids?: Duration
}

const BUILT_IN = Object.entries<BuiltInOption>(builtIn)

const CHECKS: Checks<BotOptions> = {
  ...NUMBER_CHECKS,
  ...(Object.fromEntries(BUILT_IN.map(([name, { check }]) => [name, check])) as Checks<OptionMembers>),
  baseUrl(value, name) {
    text(value, name)
    apiAddress(value as string)
  },
  numbers: numbersOption,
  session: sessionOption,
  facts: factPaths,
  kinds: wordsFor([...KNOWN_KINDS], { closed: false }),
  statuses: wordsFor(STATUSES, { closed: true }),
  sameCustomer: aFunction,
  database: expecting(
    'a file, an address postgres://…, or a pool of the package pg',
    (value) => isText(value) || (isRecord(value) && hasMethod(value, 'connect')),
  ),
  schemaOwner: text,
  headerPrefix: expecting("a prefix such as 'X-Service-'", (value) => isText(value) && HEADER_PREFIX_FORM.test(value)),
  attempts: (value, name) =>
    checkMembers(value, name, { max: countFromOne, within: duration, deadline: positiveDuration }),
  lanes: countFromOne,
  perCustomer: customerLimit,
  allowedRecipients,
  retention(value, name) {
    checkMembers(value, name, { bytes: duration, ids: duration })
    retentionFrom(value as RetentionOptions)
  },
  logger: expecting(
    'false, or a logger with debug, info, warn and error',
    (value) => value === false || ['debug', 'info', 'warn', 'error'].every((level) => hasMethod(value, level)),
  ),
  fetch: aFunction,
  clock: aFunction,
  onUnknown: oneOf('repeat', 'hold'),
  keysRememberedFor: oneOf('24h', 'until_settled'),
  templateParameters: oneOf('refuse', 'send'),
  long,
  staleAfter: positiveDuration,
  replies: oneOf('guessed', 'mapped'),
  bodyLimit: countFromOne,
  keepStale: oneOf(true, false),
  identicalDeliveries: oneOf('hold', 'dispatch'),
}

const VARIABLES: Variables<BotOptions> = {
  baseUrl: 'SWITCHHOOK_BASE_URL',
  database: 'SWITCHHOOK_DATABASE',
  schemaOwner: 'SWITCHHOOK_SCHEMA_OWNER',
  headerPrefix: 'SWITCHHOOK_HEADER_PREFIX',
  allowedRecipients: 'SWITCHHOOK_ALLOWED_RECIPIENTS,',
  keysRememberedFor: 'SWITCHHOOK_KEYS_REMEMBERED_FOR',
}

export type Settings = ReturnType<typeof settingsFrom>

/** Refuses wrong options by name, without their values: some are secret. @throws SwitchhookError `options_invalid` */
export function checkOptions(options: BotOptions): void {
  const given: unknown = options
  if (!isRecord(given)) throw refuse('createBot', 'an object of options', given)
  checkMembers(given, '', CHECKS)
  refuseOptionsOfOne(options)
}

/**
 * Applies environment and defaults to checked options. Durations become milliseconds.
 *
 * @throws SwitchhookError `environment_missing`, listing everything that is missing; `options_invalid` if a value from
 * the environment is wrong, or if sends could reach somebody's phone by mistake.
 */
export function settingsFrom(options: BotOptions, environment: Environment) {
  const given = withVariables(options, VARIABLES, CHECKS, environment)
  const { baseUrl, facts, logger, fetch, clock, allowedRecipients } = given
  const { max = 8, within = '24h', deadline = '30s' } = given.attempts ?? {}
  const local = baseUrl !== undefined && isLoopback(baseUrl)
  const sameCustomer = sameCustomerBy(given.sameCustomer)
  const settings = {
    baseUrl,
    facts,
    words: wordsIn(given),
    sameCustomer,
    logger,
    fetch,
    clock,
    numbers: numbersFrom(options, baseUrl, environment),
    session: sessionRules(given.session),
    database: given.database ?? './switchhook.db',
    schemaOwner: given.schemaOwner,
    headerPrefix: given.headerPrefix ?? DEFAULT_HEADER_PREFIX,
    limits: { max, withinMs: toMs(within), deadlineMs: toMs(deadline) },
    lanes: given.lanes ?? 64,
    gathersBy: (routes: CompiledRoutes) => gathersBy(given, routes),
    perCustomer: given.perCustomer && { messages: given.perCustomer.messages, everyMs: toMs(given.perCustomer.every) },
    allowedRecipients:
      allowedRecipients && new Set(allowedRecipients.map((one: unknown) => sameCustomer.of(digitsOf(String(one))))),
    retention: retentionFrom(given.retention),
    onUnknown: given.onUnknown ?? 'repeat',
    keysRememberedFor: given.keysRememberedFor ?? '24h',
    templateParameters: given.templateParameters ?? 'refuse',
    long: given.long ?? 'refuse',
    staleAfterMs: optionalMs(given.staleAfter),
    ofFeatures: given as OptionMembers,
    replies: given.replies ?? 'guessed',
    bodyLimit: given.bodyLimit ?? 1_048_576,
    keepStale: given.keepStale ?? false,
    identicalDeliveries: given.identicalDeliveries ?? 'hold',
    /** The service is an emulator on this machine, so no send reaches a phone. */
    local,
    /** The control token of the emulator that `switchhook dev` runs beside the app. */
    emulatorToken: local ? environment['SWITCHHOOK_CONTROL_TOKEN'] : undefined,
    development: environment['NODE_ENV'] !== 'production',
  }
  refuseRealPhones(settings)
  return settings
}

function gathersBy(options: OptionMembers, routes: CompiledRoutes): IngestRules['gathers'] {
  const given: Readonly<Record<string, unknown>> = { ...options }
  const [name = '', option] = BUILT_IN.find(([one, { gathers }]) => gathers && given[one] !== undefined) ?? []
  return option?.gathers?.(given[name] as never, routes)
}

/** The service has no sandbox. So outside production a real address needs a list of allowed recipients. */
function refuseRealPhones(
  settings: Pick<Settings, 'numbers' | 'baseUrl' | 'local' | 'allowedRecipients' | 'development'>,
): void {
  const { numbers, baseUrl, local, allowedRecipients: allowed, development } = settings
  // The tokens of a source are not known at the start, so a bot with a source and an address may send.
  const maySend = isSourceSettings(numbers)
    ? baseUrl !== undefined
    : numbers.some(({ accessToken }) => accessToken !== undefined)
  if (!maySend || local || allowed || !development) return
  throw optionsInvalid(
    'baseUrl is not this machine, so every send reaches a real phone: set NODE_ENV=production, or list the recipients in allowedRecipients (SWITCHHOOK_ALLOWED_RECIPIENTS)',
  )
}

/**
 * In ms from the settlement. @throws SwitchhookError `options_invalid` if ids are kept for a shorter time than needed.
 */
function retentionFrom({ bytes = '7d', ids = '30d' }: RetentionOptions = {}) {
  const [bytesMs, idsMs] = [toMs(bytes), toMs(ids)]
  checkIdsAge(idsMs, 'retention.ids')
  if (idsMs < bytesMs)
    throw optionsInvalid(
      'retention.ids: expected at least retention.bytes, because bytes are never kept longer than ids',
    )
  return { bytesMs, idsMs }
}

function customerLimit(value: unknown, name: string): void {
  checkMembers(value, name, { messages: countFromOne, every: positiveDuration })
  const { messages, every } = value as { messages?: number; every?: Duration }
  if (messages === undefined || every === undefined)
    throw refuse(name, "messages and every, such as { messages: 30, every: '1m' }", value)
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

const START_CHECKS: Checks<StartOptions> = { role: oneOf('both', 'receive', 'work'), restored: oneOf(true, false) }

function allowedRecipients(value: unknown, name: string): void {
  const expected = 'expected a list of phone numbers of 6 to 20 digits'
  if (!Array.isArray(value)) throw optionsInvalid(`${name}: ${expected}`)
  for (const [at, one] of value.entries())
    try {
      if (!RECIPIENT_FORM.test(digitsOf(String(one)))) throw new Error('it has too few digits, or too many')
    } catch (error) {
      throw optionsInvalid(`${name}: ${expected}; in row ${at + 1} ${reasonOf(error)}`)
    }
}

/** @throws SwitchhookError `options_invalid` */
export function startSettings(asked: StartOptions, environment: Environment) {
  checkMembers(asked, 'start()', START_CHECKS)
  const { role = 'both' } = withVariables(asked, { role: 'SWITCHHOOK_ROLE' }, START_CHECKS, environment)
  return { role, restored: asked.restored ?? environment['SWITCHHOOK_RESTORED'] === '1' }
}
