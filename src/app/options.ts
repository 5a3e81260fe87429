import type { Duration } from '../base/duration.ts'
import type { Log } from '../base/log.ts'
import type { Schema } from '../base/schema.ts'
import type { MaybeAsync } from '../base/value.ts'

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
