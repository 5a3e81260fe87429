import type { BusinessNumber } from '../model/account.ts'

/** An event for the subscriptions: a name, and the payload's bytes. */
export interface ServiceEvent {
  readonly id: string
  readonly name: string
  /** The customer that the event is about; undefined for events of the account. */
  readonly customer: string | undefined
  /** The id of the message that the event is about, if any. */
  readonly message?: string | undefined
  readonly body: Buffer
}

/** The facts that every payload shape needs besides its subject. */
export interface About {
  readonly eventId: string
  readonly number: BusinessNumber
  /** Milliseconds since the epoch, by the emulator's clock. */
  readonly now: number
}

const DAY_MS = 24 * 3_600_000

/** How long the dashboard shows attempts and events, by the emulator's clock (DEL-13). */
export const ATTEMPTS_KEPT_MS = 7 * DAY_MS
export const EVENTS_KEPT_MS = 30 * DAY_MS
