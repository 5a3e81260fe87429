import type { BusinessNumber } from '../model/account.ts'
import { iso } from '../model/clock.ts'

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

/** The facts that every payload shape needs beside its subject. */
export interface About {
  readonly eventId: string
  readonly number: BusinessNumber
  /** Milliseconds since the epoch, by the emulator's clock. */
  readonly now: number
}

const EAST_AFRICA_MS = 3 * 3_600_000

/** A time as a clock in Nairobi or Dodoma shows it, with its offset. */
export function isoEastAfrica(ms: number): string {
  return iso(ms + EAST_AFRICA_MS).replace('Z', '+03:00')
}
