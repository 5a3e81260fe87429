import type { Duration } from './base/duration.ts'
import { toMs } from './base/duration.ts'
import { SwitchhookError } from './base/errors.ts'
import type { Log } from './base/log.ts'
import { isSchema, type Schema } from './base/schema.ts'
import { isRecord, type MaybeAsync } from './base/value.ts'
import { HEADER_PREFIX_FORM } from './contract/headers.ts'
import { RECIPIENT_FORM } from './contract/phones.ts'
import { retentionOf } from './retention.ts'

/** A value, or a function that gives it for a number; a token is asked for at every attempt. */
export type Source<T> = T | ((about: { number: string }) => MaybeAsync<T>)

export interface NumberOptions {
  /**
   * The number's token; default `SWITCHHOOK_ACCESS_TOKEN`. Without one a bot receives and handles, and replying is an
   * error.
   */
  accessToken?: Source<string>
  /**
   * One signing secret, or several live ones while a new one is brought in; default `SWITCHHOOK_SIGNING_SECRET`, where a
   * comma stands between several. A function's answer is kept, and it is
   * asked again at a wrong signature, at most every 30 s; until it has answered, deliveries are turned away with 503.
   */
  signingSecret?: Source<string | readonly string[]>
  /**
   * Our number's id at the service: needed where one token is held by several numbers; default
   * `SWITCHHOOK_PHONE_NUMBER_ID`.
   */
  phoneNumberId?: string
}

/** Where facts stand, by event and name: a path from the body such as `data.order.id`, or a function of it. */
// oxlint-disable-next-line typescript/no-explicit-any -- the app knows what its payloads hold
export type Paths = Record<string, Record<string, string | ((json: any) => unknown)>>

/** What the facts of an app are: texts where they are paths, else what their functions give. */
export type FactsOf<F> = string extends keyof F
  ? // oxlint-disable-next-line typescript/no-generated-empty-object-type -- nothing is mapped, and nothing may be
    Record<never, never>
  : {
      [E in keyof F]: {
        [K in keyof F[E]]: F[E][K] extends (json: never) => infer R ? NonNullable<R> : string
      }
    }

/** The app's own state about each customer. */
export interface SessionOptions<S> {
  /** Gives a whole session from `{}`: each member has a default. */
  schema: S
  /** It begins anew so long after its last change, by the service's clock; default never. */
  ttl?: Duration
  /** Raise it with the shape; default 1. */
  version?: number
  /**
   * Makes a session of this version out of one of another (a newer one where a release was taken back); without it the
   * schema alone decides whether that still fits. What does not fit begins anew.
   */
  migrate?: (old: unknown, version: number) => unknown
}

export interface BotOptions<S = Schema, F = Paths, N = Record<string, NumberOptions>> extends NumberOptions {
  /** The service's address, or an emulator's; default `SWITCHHOOK_BASE_URL`. */
  baseUrl?: string
  /** Several numbers by name; the options above are the short form of one. */
  numbers?: N
  /** `ctx.session`: a schema of any library that speaks Standard Schema, or more about it. */
  session?: S | SessionOptions<S>
  /** Where the facts of a payload stand, by event: what is mapped is never guessed. */
  facts?: F
  /** A file for SQLite on a local disk, or `:memory:`; default `SWITCHHOOK_DATABASE`, else `./switchhook.db`. */
  database?: string
  /** What header names begin with; default `SWITCHHOOK_HEADER_PREFIX`, else `X-Service-`. */
  headerPrefix?: string
  /** Default 8 attempts within 24 h, each with a deadline of 30 s that does not count waiting for replies. */
  attempts?: { max?: number; within?: Duration; deadline?: Duration }
  /** Customers that are served at once; default 16. */
  lanes?: number
  /**
   * Phone numbers, in digits, that may be sent to; default `SWITCHHOOK_ALLOWED_RECIPIENTS`, else everybody. Needed where
   * the address is not this machine and `NODE_ENV` is not `production`.
   */
  allowedRecipients?: readonly string[]
  /**
   * How long what was settled is kept: `bytes`, what was delivered and the facts read from it, by default 7 days;
   * `ids`, all else, so that duplicates are known and replies are not sent twice, by default 30 days, and no less than
   * `bytes` or 10 minutes. What waits, is parked, dead or quarantined is kept however old it is.
   */
  retention?: { bytes?: Duration; ids?: Duration }
  /** Default pino at level info; `false` says nothing. */
  logger?: false | Log
  /** Carries every request to the service, in place of the platform's own. */
  fetch?: typeof fetch
  /** Wall time, for tests: signatures, leases, back-off and, unless an emulator's clock was moved, the window. */
  clock?: () => Date
  /** `repeat` (default): an unknown outcome is repeated with the same key for ten minutes; `hold`: never. */
  onUnknown?: 'repeat' | 'hold'
  /**
   * From this age of a message on, a reply to it is recorded and shown, not sent: nobody wants last night's backlog
   * answered in the morning. Default: never too late; `'12h'` is advised.
   */
  staleAfter?: Duration
  /**
   * How long a send pauses the service's agent for that customer, as the dashboard says: without it `ctx.agent` never
   * says `'paused'`. Nothing else goes by it. No default, since the service does not tell.
   */
  takeoverWindow?: Duration
  /** `guessed` (default): whom a payload names at a usual place may be answered; `locked`: mapped customers alone. */
  replies?: 'guessed' | 'locked'
  /**
   * What becomes of a content that passes a limit of the service: `strict` (default) is an error before anything is
   * stored, `warn` says it in the log and lets the service judge, `off` lets it judge.
   */
  validation?: 'strict' | 'warn' | 'off'
  /** Bytes; default 1 MiB. */
  bodyLimit?: number
  /** Keeps (never dispatches) deliveries whose signature holds but whose time does not (DEL-12). Default false. */
  keepStale?: boolean
  /**
   * `hold` (default): the same signed bytes under another id are kept, shown and not dispatched (SIG-07).
   * `dispatch` handles them: safe for replies, whose keys come from the signed content.
   */
  identicalDeliveries?: 'hold' | 'dispatch'
}

type Check = (value: unknown) => string | undefined

const WHOLE = 'a whole number from 1 on'
const text: Check = (value) => (typeof value === 'string' && value.trim() !== '' ? undefined : 'some text')
const called: Check = (value) => (typeof value === 'function' ? undefined : 'a function')
const wholeFromOne: Check = (value) => (Number.isSafeInteger(value) && (value as number) >= 1 ? undefined : WHOLE)
const source: Check = (value) => (typeof value === 'function' ? undefined : text(value) && 'some text or a function')
const secrets: Check = (value) =>
  Array.isArray(value) && value.length > 0 && value.every((one) => text(one) === undefined) ? undefined : source(value)
const span: Check = (value) => {
  try {
    toMs(value as Duration)
    return undefined
  } catch {
    return "a span such as '30s', or milliseconds"
  }
}
// Zero is no word for "never": each attempt would be over at once, each reply too late.
const someSpan: Check = (value) =>
  span(value) ?? (toMs(value as Duration) > 0 ? undefined : "a span above zero such as '30s'")

const NUMBER_CHECKS: Record<string, Check> = { accessToken: source, signingSecret: secrets, phoneNumberId: text }

const MODES: readonly unknown[] = ['strict', 'warn', 'off']

const CHECKS: Record<string, Check> = {
  ...NUMBER_CHECKS,
  baseUrl: text,
  database: text,
  headerPrefix: (value) =>
    typeof value === 'string' && HEADER_PREFIX_FORM.test(value) ? undefined : "a prefix such as 'X-Service-'",
  lanes: wholeFromOne,
  bodyLimit: wholeFromOne,
  allowedRecipients: (value) =>
    Array.isArray(value) && value.every((one) => RECIPIENT_FORM.test(String(one)))
      ? undefined
      : 'a list of phone numbers of 6 to 20 digits, without +',
  logger: (value) =>
    value === false || ['debug', 'info', 'warn', 'error'].every((level) => hasMethod(value, level))
      ? undefined
      : 'false, or a logger with debug, info, warn and error',
  keepStale: (value) => (typeof value === 'boolean' ? undefined : 'true or false'),
  identicalDeliveries: (value) => (value === 'hold' || value === 'dispatch' ? undefined : "'hold' or 'dispatch'"),
  fetch: called,
  clock: called,
  staleAfter: someSpan,
  takeoverWindow: span,
  replies: (value) => (value === 'guessed' || value === 'locked' ? undefined : "'guessed' or 'locked'"),
  validation: (value) => (MODES.includes(value) ? undefined : "'strict', 'warn' or 'off'"),
  onUnknown: (value) => (value === 'repeat' || value === 'hold' ? undefined : "'repeat' or 'hold'"),
}

const ATTEMPT_CHECKS: Record<string, Check> = { max: wholeFromOne, within: span, deadline: someSpan }
const RETENTION_CHECKS: Record<string, Check> = { bytes: span, ids: span }

/**
 * Refuses wrong options by name, with what was expected; values are not shown, since some are secret.
 *
 * @throws SwitchhookError `options_invalid`
 */
export function checkOptions(options: BotOptions): void {
  if (!isRecord(options)) throw refuse('createBot', 'an object of options', options)
  const { numbers, attempts, retention, session, facts, ...rest }: Record<string, unknown> = options
  check('', rest, CHECKS)
  if (session !== undefined) checkSession(session)
  if (facts !== undefined) checkFacts(facts)
  if (attempts !== undefined) check('attempts.', attempts, ATTEMPT_CHECKS)
  if (retention !== undefined) check('retention.', retention, RETENTION_CHECKS)
  retentionOf(retention as BotOptions['retention'])
  if (numbers === undefined) return
  if (!isRecord(numbers) || Object.keys(numbers).length === 0)
    throw refuse('numbers', 'an object of numbers by name', numbers)
  for (const [name, number] of Object.entries(numbers)) {
    if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(name))
      throw refuse(`numbers: the name "${name}"`, 'letters, digits, - and _', name)
    check(`numbers.${name}.`, number, NUMBER_CHECKS)
  }
  for (const option of Object.keys(NUMBER_CHECKS))
    if (rest[option] !== undefined)
      throw new SwitchhookError(
        'options_invalid',
        `${option}: with several numbers it belongs to each of them, as numbers.NAME.${option}`,
      )
}

const SESSION_CHECKS: Record<string, Check> = {
  schema: (value) => (isSchema(value) ? undefined : 'a schema, such as z.object({ lang: z.string().default("en") })'),
  ttl: someSpan,
  version: wholeFromOne,
  migrate: called,
}

function checkSession(session: unknown): void {
  if (isSchema(session)) return
  check('session.', session, SESSION_CHECKS)
  if (!isSchema((session as { schema?: unknown }).schema)) throw refuse('session.schema', 'a schema', undefined)
}

function checkFacts(facts: unknown): void {
  if (!isRecord(facts)) throw refuse('facts', 'an object of facts by event', facts)
  for (const [event, paths] of Object.entries(facts)) {
    if (!isRecord(paths)) throw refuse(`facts.${event}`, 'an object of paths by fact', paths)
    for (const [fact, where] of Object.entries(paths))
      if (typeof where !== 'function' && text(where) !== undefined)
        throw refuse(`facts.${event}.${fact}`, "a path such as 'data.order.id', or a function of the payload", where)
  }
}

function check(prefix: string, given: unknown, checks: Record<string, Check>): void {
  if (!isRecord(given)) throw refuse(prefix.slice(0, -1), 'an object', given)
  for (const [name, value] of Object.entries(given)) {
    const expected = Object.hasOwn(checks, name) ? checks[name] : undefined
    if (!expected)
      throw new SwitchhookError(
        'options_invalid',
        `${prefix}${name}: there is no such option; the options here are ${[...Object.keys(checks), ...(prefix === '' ? ['attempts', 'facts', 'numbers', 'retention', 'session'] : [])].join(', ')}`,
      )
    const problem = value === undefined ? undefined : expected(value)
    if (problem !== undefined) throw refuse(prefix + name, problem, value)
  }
}

function refuse(name: string, expected: string, value: unknown): SwitchhookError {
  // A number is shown where one is asked for; anything else may be a secret in the wrong place.
  const got = expected === WHOLE && typeof value === 'number' ? String(value) : kindOf(value)
  return new SwitchhookError('options_invalid', `${name}: expected ${expected}, got ${got}`)
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list with something else in it'
  if (value === '') return 'an empty text'
  return typeof value === 'string' ? 'another text' : `a value of type ${typeof value}`
}

function hasMethod(value: unknown, name: string): boolean {
  return typeof (value as Record<string, unknown> | null)?.[name] === 'function'
}
