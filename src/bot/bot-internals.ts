import { sharedMap } from '../base/shared.ts'
import type { SameCustomer } from './same-customer.ts'
import type { Duration } from '../base/duration.ts'
import { SwitchhookError, optionsInvalid } from '../base/errors.ts'
import type { TemplateRow } from '../client/client.ts'
import type { Feature } from './feature.ts'
import type { Outbox } from './outbox/record-send.ts'
import type { ResultOf, Store, OnDisk } from '../store/store.ts'
import type { Answer, Elsewhere, Incoming } from './inbox/http.ts'
import type { Clock, Timers } from '../base/clock.ts'
import type { Log, LogThrottle } from '../base/log.ts'
import type { MaybeAsync } from '../base/value.ts'
import { aFunction, checkMembers } from './option-checks.ts'
import type { CustomerOfNumber } from '../store/database/customer-tables.ts'

/** Any bot. It has no type parameters, so that every bot can be assigned to it. */
export interface AnyBot {
  readonly '~env'?: unknown
}

/** The work of a process: see `StartOptions`. */
export type Role = 'both' | 'receive' | 'work'

/** The side of a bot that adapters use. `createBot` registers it; see `lifecycle.ts`. */
export interface BotInternals {
  /** True if the app looks up its numbers: the bot does not know all secrets, so each endpoint must name its number. */
  readonly needsNumber: boolean
  receive(incoming: Incoming): Promise<Answer>
  /** Reports a delivery that the app receives at another path. Reads at most 64 KiB of its body. Never rejects. */
  elsewhere(request: Elsewhere): Promise<void>
  start(o?: { role?: Role }): Promise<void>
  /** Calls `onDrained` when handlers have ended and the store is still open: close the HTTP server in it. */
  stop(o?: { drain?: Duration; onDrained?: () => Promise<void> }): Promise<void>
  readonly log: Log
  /** True if the last delivery could be stored and no stop is under way. */
  ready(): boolean
  /** How long the message that is handled next has waited, in ms; 0 if none waits. Measured every few seconds. */
  waitedMs(): number
  role(): Role | undefined
  gauges(): Promise<Gauges> | undefined
  desk(): Desk | undefined
  /** @throws SwitchhookError `options_invalid` if the bot is started and the feature has a watcher. */
  add(feature: Feature): void
}

export interface Gauges {
  readonly lanes: { readonly items: number; readonly sends: number }
  /** Deliveries in a row that the service counts as failed. At 20 it disables the endpoint. */
  readonly failuresInARow: number
  /** Read from the database, so the same for all processes that share it; undefined if it cannot be read. */
  readonly database: DatabaseGauges | undefined
}

export interface DatabaseGauges {
  readonly waiting: ResultOf<'waiting'>
  /** How long the message that is handled next has waited, in milliseconds; 0 if none waits. */
  readonly waitedMs: number
  /** Numbers that send nothing now: until a person acts (`stopped`), or until a pause ends. */
  readonly throttled: readonly { readonly number: string; readonly stopped: boolean }[]
  readonly needsPerson: ResultOf<'needsPerson'>
  /** How many rows each built-in feature has, by its name and by their state. */
  readonly states: Readonly<Record<string, Readonly<Record<string, number>>>>
  readonly files: (OnDisk & { readonly backupAgeMs: number | undefined }) | undefined
}

const internals = sharedMap<AnyBot, BotInternals>('bots')

export function setInternals(bot: AnyBot, its: BotInternals): void {
  internals.set(bot, its)
}

/** @throws SwitchhookError `options_invalid` if the value is not a bot. */
export function internalsOf(bot: AnyBot): BotInternals {
  const found = internals.get(bot)
  if (found) return found
  throw new SwitchhookError('options_invalid', 'expected a bot from createBot()')
}

/** What the admin page and the desk use of a running bot. */
export interface Desk {
  readonly store: Store
  readonly clock: Clock
  readonly timers: Timers
  readonly logThrottled: LogThrottle
  readonly sameCustomer: SameCustomer
  /** The names of the bot's numbers; empty if the app looks them up (`numbers.find`). */
  readonly numbers: readonly string[]
  historyOf(who: CustomerOfNumber, last: number): Promise<readonly Line[]>
  nameOf(who: CustomerOfNumber): Promise<string | undefined>
  readonly recordSend: Outbox['recordSend']
  /** True if the message with these facts opts out or in. */
  saysOptOut(facts: string): boolean
  /** The number's templates; undefined if their list is not available now. */
  templates(number: string): Promise<readonly TemplateRow[] | undefined>
  acted(act: Acted): void
}

/** One message of a chat. Its text is undefined if it has none, or if it was removed. */
export interface Line {
  readonly by: 'customer' | 'bot' | 'person' | 'agent'
  /** Service time. */
  readonly at: Date
  readonly kind: string
  readonly text: string | undefined
}

export interface Acted {
  readonly who: string
  readonly act: string
  /** A sentence without a number or a text of a customer. */
  readonly what: string
  readonly count: number
}

export interface EndpointOptions<Request> {
  /**
   * Makes this the endpoint of one number, by its name in `createBot({ numbers })`, for example `(request) =>
   * request.params.number`. A delivery is checked only with that number's secrets. An unknown name, or `undefined`,
   * gets a 401 like a wrong signature. If the function throws, the answer is 503, and the service delivers again.
   * Required if `numbers` has `find`: the bot then does not know all secrets that it would have to try.
   */
  number?: (request: Request) => MaybeAsync<string | undefined>
}

/** Returns a function that finds the endpoint's number in a request. @throws SwitchhookError `options_invalid` */
export function endpointOf<Request>(
  o: EndpointOptions<Request>,
  { needsNumber }: Pick<BotInternals, 'needsNumber'>,
): (request: Request) => Pick<Incoming, 'number'> {
  checkMembers(o, 'webhook()', { number: aFunction })
  const { number } = o
  if (number === undefined && needsNumber)
    throw optionsInvalid(
      'number: the numbers of this bot come from a source, so each needs its own endpoint: webhook(bot, { number: (request) => request.params.number })',
    )
  if (number === undefined) return () => NOTHING
  return (request) => ({ number: async () => number(request) })
}

const NOTHING = {}
