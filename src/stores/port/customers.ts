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

/** Tells who speaks to a customer: the bot, or somebody else for a while. Service time. */
export interface TakeoverState {
  /** The mute that is in force. */
  readonly mute: Mute | undefined
  /** The last send to this customer that the service took. */
  readonly lastSentAt: number | undefined
}

/** The app's own state about one customer, as JSON. */
export interface Session {
  readonly value: string
  readonly version: number
}

export interface SessionWrite {
  /** Undefined: the session is removed. */
  readonly value: string | undefined
  readonly version: number
  /** Service time; undefined: never. */
  readonly expiresAt: number | undefined
}

/** Counts of what is kept of a customer on one number. */
export interface Holding {
  readonly items: number
  readonly sends: number
  readonly sessions: number
  readonly windows: number
  readonly mutes: number
}

/** Operations about customers. One with a fence answers false if the lane was lost, and changes nothing. */
export interface Customers {
  /** The session that was stored with a settlement, unless it has expired at this service time. */
  sessionOf(number: string, customer: string, at: number): Promise<Session | undefined>

  /** Tells who speaks to a customer at this service time. */
  takeoverOf(number: string, customer: string, at: number): Promise<TakeoverState>

  /**
   * Mutes the bot for a customer: replies to them are skipped. A `BOT` that is older than the last mute changes
   * nothing, and a mute for another reason is not shortened.
   */
  mute(asked: Mute, fence?: Fence): Promise<boolean>

  /** Ends a mute at this service time, also a mute that begins later. */
  unmute(who: CustomerOfNumber, at: number, fence?: Fence): Promise<boolean>

  /**
   * Erases what is kept of a customer: messages, sends and their statuses, session, window, results of `once`. A send
   * that surely did not go out is cancelled; what is being handled or sent is erased by a later pruning, once it has
   * ended. Ids stay as long as any, so that a delivery that comes again is known.
   */
  forget(who: CustomerOfNumber, now: number, fence?: Fence): Promise<boolean>

  /** The numbers on which anything is kept of this customer, by name. */
  numbersOf(customer: string): Promise<readonly string[]>

  holding(who: CustomerOfNumber): Promise<Holding>

  /**
   * Counts deliveries that were never read for their customer (ignored, quarantined …) and name these digits somewhere.
   */
  naming(customer: string): Promise<number>
}
