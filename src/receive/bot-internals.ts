import type { Duration } from '../base/duration.ts'
import { SwitchhookError } from '../base/errors.ts'
import type { Tracer } from '../base/tracer.ts'
import type { CustomerOfNumber, Waiting } from '../store/types/index.ts'
import type { Store } from '../store/store.ts'
import type { Answer, Incoming } from './http.ts'
import type { Clock } from '../base/clock.ts'
import type { LogThrottle } from '../base/log.ts'

/** Accepts any bot: it has no generics, so that a handler's types cannot make a bot unassignable. */
export interface AnyBot {
  readonly '~env'?: unknown
}

/** The part of the work that a process does: see `StartOptions`. */
export type Role = 'both' | 'receive' | 'work'

/** The side of a bot that adapters use. `createBot` registers it; see `app/lifecycle.ts`. */
export interface BotInternals {
  /** The numbers come from a source: nobody knows the secrets of all, so each endpoint has to say whose it is. */
  readonly needsNumber: boolean
  receive(incoming: Incoming): Promise<Answer>
  start(o?: { role?: Role }): Promise<void>
  /** `onDrained` runs when handling has ended and deliveries can still be stored: the moment to close a server. */
  stop(o?: { drain?: Duration; onDrained?: () => Promise<void> }): Promise<void>
  /** True if the last delivery could be stored and no stop is under way. */
  ready(): boolean
  /** Milliseconds for which the message whose turn is next has waited, as of some seconds ago; 0 if none waits. */
  waitedMs(): number
  /** Undefined unless the bot is started. */
  role(): Role | undefined
  /** How the bot stands now; undefined unless it is started. */
  gauges(): Promise<Gauges> | undefined
  /** Undefined unless the bot is started. */
  desk(): Desk | undefined
  /** @throws SwitchhookError `options_invalid` if the bot is started. */
  trace(tracer: Tracer): void
}

export interface Gauges {
  readonly lanes: { readonly items: number; readonly sends: number }
  /** Deliveries in a row that the service must take for failed; at 20 it disables the endpoint. */
  readonly failuresInARow: number
  /** The database's part, which is the same for all processes that share it; undefined if it cannot be read. */
  readonly database: DatabaseGauges | undefined
}

export interface DatabaseGauges {
  readonly waiting: Waiting
  /** Milliseconds for which the message whose turn is next has waited; 0 if none waits. */
  readonly waitedMs: number
  /** Numbers that send nothing until a person acts, and those that pause. */
  readonly throttled: { readonly stopped: number; readonly paused: number }
}

const internals = new WeakMap<AnyBot, BotInternals>()

export function setInternals(bot: AnyBot, its: BotInternals): void {
  internals.set(bot, its)
}

/** @throws SwitchhookError `options_invalid` if the value is no bot. */
export function internalsOf(bot: AnyBot): BotInternals {
  const found = internals.get(bot)
  if (found) return found
  throw new SwitchhookError('options_invalid', 'expected a bot from createBot()')
}

/** The means that a running bot lends to a person who looks on and puts things right: see the module `admin`. */
export interface Desk {
  readonly store: Store
  readonly clock: Clock
  readonly logThrottled: LogThrottle
  /** The names of the bot's numbers; none if they come from a source of the app's. */
  readonly numbers: readonly string[]
  /** The last that was said between a customer and the bot, the oldest first. */
  historyOf(who: CustomerOfNumber, last: number): Promise<readonly Line[]>
  /** The bot does not reply to this customer for so many milliseconds. */
  handOver(who: CustomerOfNumber, forMs: number): Promise<void>
  handBack(who: CustomerOfNumber): Promise<void>
  acted(act: Acted): void
}

/** One message, of which the text is undefined if it has none, or if it is no longer kept. */
export interface Line {
  readonly by: 'customer' | 'bot'
  /** Service time. */
  readonly at: Date
  readonly kind: string
  readonly text: string | undefined
}

export interface Acted {
  readonly who: string
  readonly act: string
  /** In words, without a number or a text of a customer. */
  readonly what: string
  readonly count: number
}
