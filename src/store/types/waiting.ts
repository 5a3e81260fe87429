/** A customer of a number, and who has them. `since`, `until`: service time. */

export interface CustomerOfNumber {
  readonly number: string
  readonly customer: string
}

/** Somebody else has the customer: a person, or the service's agent, since the customer typed `BOT`. */
export interface TakenOver {
  readonly by: 'agent' | 'person'
  readonly since: number
  readonly until: number
  /** Of the item whose handler handed the customer over; undefined if no handler did. */
  readonly cause?: string | undefined
}

export interface NewTakeover extends CustomerOfNumber, Omit<TakenOver, 'cause'> {
  /** False if a person takes the customer to answer them. Default true. */
  readonly waits?: boolean
  readonly now?: number
}

/** Why a customer waits for a person. `unread`: the bot had nothing to say to what it was given back. */
export type WaitingReason = 'handed_over' | 'asked' | 'wrote' | 'failed' | 'unread'
