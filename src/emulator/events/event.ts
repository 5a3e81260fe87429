import type { Assumptions } from '../model/assumptions.ts'

/** Something that the service tells its subscriptions: a name, and the payload's bytes. */
export interface ServiceEvent {
  readonly id: string
  readonly name: string
  /** Whom it is about; undefined for events of the account. */
  readonly customer: string | undefined
  /** The id of the message that it is about, where it is about one. */
  readonly message?: string | undefined
  readonly body: Buffer
}

/** The connected business number. */
export interface BusinessNumber {
  readonly id: string
  readonly display: string
}

/** What every payload shape needs beside the message. */
export interface About {
  readonly eventId: string
  readonly number: BusinessNumber
  /** Milliseconds since the epoch, by the emulator's clock. */
  readonly now: number
}

export function iso(ms: number): string {
  return new Date(ms).toISOString()
}

const EAST_AFRICA_MS = 3 * 3_600_000

/** The same moment as a clock in Nairobi or Dodoma shows it. */
export function isoEastAfrica(ms: number): string {
  return iso(ms + EAST_AFRICA_MS).replace('Z', '+03:00')
}

/** The shape whose turn it is. */
export function shapeFor<T>(shapes: readonly T[], turn: number, shape: Assumptions['payloadShape']): T {
  return shapes[(shape === 'rotate' ? turn : shape) % shapes.length] as T
}
