import { iso } from '../model/emulated-clock.ts'
import type { BusinessNumber } from '../model/account.ts'

export interface ServiceEvent {
  readonly id: string
  readonly name: string
  /** The customer that the event is about; undefined for events of the account. */
  readonly customer: string | undefined
  /** The id of the message that the event is about, if any. */
  readonly message?: string | undefined
  readonly body: Buffer
}

export type PublishedEvent = {
  readonly id: string
  readonly event: string
  readonly customer: string | null
  readonly deliveryIds: readonly string[]
}

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

export type DeclaredFacts = Readonly<Record<string, unknown>>

type DeclaredShape = (event: string, facts: DeclaredFacts, about: About) => object

/** Made-up payloads for events of which only the name is known. Around `data` they look like `message.received`. */
export const DECLARED_SHAPES: readonly DeclaredShape[] = [eventWithData, camelCaseObject]

function eventWithData(event: string, facts: DeclaredFacts, { eventId, number, now }: About): object {
  return { id: eventId, event, created_at: iso(now), data: { ...facts, phone_number_id: number.id } }
}

function camelCaseObject(event: string, facts: DeclaredFacts, { eventId, number }: About): object {
  const members = Object.entries({ ...facts, phone_number_id: number.id }).map(([name, value]) => [camel(name), value])
  return { id: eventId, type: event, data: { object: Object.fromEntries(members) } }
}

function camel(name: string): string {
  return name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
