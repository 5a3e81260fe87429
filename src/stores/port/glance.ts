import type { DeliveryQuery, DeliveryRow, InboxState } from './admin.ts'
import type { CustomerOfNumber } from './customers.ts'
import type { SendRow } from './outbox.ts'

/** A glance counts no further than this. */
export const MOST_COUNTED = 10_000

/** One look of a person at a store, by indexes, however much is kept. */
export interface Glance {
  /** The numbers of the delivery, the send and the act that were recorded last; 0 if there is none. */
  readonly newest: { readonly deliveries: number; readonly sends: number; readonly acts: number }
  /** Items and deliveries that wait for a person. */
  readonly resting: Readonly<Record<'dead' | 'parked' | 'quarantined' | 'conflict' | 'suspected_replay', number>>
  readonly sends: Readonly<Record<'scheduled' | 'held' | 'unknown', number>>
  /** Open conversations. */
  readonly conversations: number
  /** Timers that have not come due. */
  readonly timers: number
}

/** Filters deliveries at rest, which a person may put back together. */
export interface RestingQuery extends Omit<DeliveryQuery, 'states' | 'newerThan' | 'after'> {
  readonly states: readonly InboxState[]
}

export interface TimerRow extends CustomerOfNumber {
  readonly kind: string
  readonly name: string
  /** Service time. */
  readonly dueAt: number
}

export interface TimerPage {
  readonly timers: readonly TimerRow[]
  /** The place to go on from; undefined if there are no more. */
  readonly next: TimerRow | undefined
}

/** The latest deliveries and sends of one customer, each list with the newest first. */
export interface CustomerLatest {
  readonly deliveries: readonly DeliveryRow[]
  readonly sends: readonly SendRow[]
}

/** Questions of a person who looks on while the bot works: none of them reads a table from end to end. */
export interface Glances {
  glance(): Promise<Glance>

  /** The numbers of deliveries at rest, the oldest first. */
  restingSeqs(query: RestingQuery): Promise<readonly number[]>

  /** Timers in the order of their times, of a number or of all. */
  listTimers(query: { readonly number?: string; readonly limit: number; readonly after?: TimerRow }): Promise<TimerPage>

  /** A customer's timers, in the order of their times. */
  timersOf(who: CustomerOfNumber): Promise<readonly TimerRow[]>

  /** Sends that wait for their times, in their order; `after` is the last of the page before. */
  scheduledSends(query: {
    readonly number?: string
    readonly limit: number
    readonly after?: { readonly dueAt: number; readonly id: string }
  }): Promise<readonly SendRow[]>

  /** Sends with this `ref`, the newest first. */
  sendsWithRef(ref: string, limit: number): Promise<readonly SendRow[]>

  /** The numbers on which a customer wrote, or was written to. Its first question makes the indexes of `history`. */
  numbersOf(customer: string): Promise<readonly string[]>

  /** A customer's messages and sends, at most so many of each. Its first question makes the indexes of `history`. */
  latestOf(who: CustomerOfNumber, last: number): Promise<CustomerLatest>
}
