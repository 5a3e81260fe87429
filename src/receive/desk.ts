import type { Clock, Timers } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { CustomerOfNumber, Store } from '../stores/port/index.ts'

/** The means that a running bot lends to a person who looks on and puts things right: see the module `admin`. */
export interface Desk {
  readonly store: Store
  readonly clock: Clock
  readonly timers: Timers
  readonly log: Log
  /** The names of the bot's numbers; none if they come from a source of the app's. */
  readonly numbers: readonly string[]
  /** The last that was said between a customer and the bot, the oldest first. */
  historyOf(who: CustomerOfNumber, last: number): Promise<readonly Line[]>
  /** The bot does not reply to this customer for so many milliseconds. */
  handOver(who: CustomerOfNumber, forMs: number): Promise<void>
  /** The bot replies to this customer again. */
  handBack(who: CustomerOfNumber): Promise<void>
  /** Tells the log and the app's hooks of an act. */
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

/** An act of a person, by the page. */
export interface Acted {
  readonly who: string
  readonly act: string
  /** In words, without a number or a text of a customer. */
  readonly what: string
  readonly count: number
}
