import type { History } from './history.ts'
import type { KeptOf } from './kept-of.ts'
import type { Fence } from './lanes.ts'

/** One customer on one number. */
export interface CustomerOfNumber {
  readonly number: string
  readonly customer: string
}

/**
 * A customer to whom the bot does not reply: `agent` if the customer typed BOT, `handed_over` if a person took over.
 */
export interface Mute extends CustomerOfNumber {
  readonly why: 'agent' | 'handed_over'
  /** Service time. */
  readonly since: number
  readonly until: number
}

/** The end of a mute, also of one that begins later. Service time. */
export interface Unmute extends CustomerOfNumber {
  readonly endsAt: number
}

/** The state of a customer at a service time. */
export interface CustomerState {
  /** The session that was stored with a settlement, unless it has expired. */
  readonly session: Session | undefined
  /** The mute that is in force: somebody else speaks to this customer for a while, and not the bot. */
  readonly mute: Mute | undefined
  /** Service time of the last send to this customer that the service took. */
  readonly lastSentAt: number | undefined
  /** Service time of the customer's last message, if it is known and trusted. */
  readonly lastInboundAt: number | undefined
}

/** The app's own state about one customer, as JSON. */
export interface Session {
  readonly value: string
  readonly version: number
}

/** A change of a session, by whoever has read it before. */
export interface SessionWrite {
  /** The value that was read, at that service time; undefined if there was none. */
  readonly before: string | undefined
  readonly readAt: number
  /** The value before the change, if that is not the one that was read: the schema's defaults, or what it migrated. */
  readonly base?: string | undefined
  /** Undefined: the session is removed. */
  readonly value: string | undefined
  readonly version: number
  /** Service time; undefined: never. */
  readonly expiresAt: number | undefined
}

/** Counts of what is kept of a customer. */
export interface Holding {
  /** By number: those on which anything is kept. */
  readonly numbers: Readonly<
    Record<
      string,
      Readonly<Record<'items' | 'sends' | 'sessions' | 'windows' | 'mutes' | 'conversations' | 'timers', number>>
    >
  >
  /** Deliveries that were never read for their customer (ignored, quarantined …) and name these digits somewhere. */
  readonly naming: number
}

/** Operations about customers. One with a fence answers false if the lane was lost, and changes nothing. */
export interface Customers {
  customerOf(number: string, customer: string, at: number): Promise<CustomerState>

  /**
   * Reads the last that was said, at most so many messages of each side, as far as it is kept. Nothing is written for it
   * before it is asked for: the first question makes its indexes, for seconds in a large database.
   */
  history(who: CustomerOfNumber, last: number): Promise<History>

  /** Writes a session from outside an item. False, and nothing is changed, if it is not as it was read any more. */
  putSession(who: CustomerOfNumber, write: SessionWrite): Promise<boolean>

  /**
   * Mutes the bot for a customer, so that replies to them are skipped, or ends a mute. A `BOT` that is older than the
   * last mute changes nothing, and a mute for another reason is not shortened.
   */
  mute(asked: Mute | Unmute, fence?: Fence): Promise<boolean>

  /**
   * Forgets a customer. At once a send that surely did not go out is cancelled, session, mute and window are erased, and
   * all that has come and gone out by now is noted for `eraseForgotten`; what comes later is kept.
   */
  forget(who: CustomerOfNumber, now: number, fence?: Fence): Promise<boolean>

  holding(customer: string): Promise<Holding>

  /** Reads what is kept of a customer besides deliveries and sends, for the customer who asks to see it. */
  keptOf(customer: string): Promise<KeptOf>
}
