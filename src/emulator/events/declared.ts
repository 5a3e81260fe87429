import { type About, iso } from './event.ts'

/** What a declared event says: its members in snake case, each name clear by itself. */
export type Told = Readonly<Record<string, unknown>>

type DeclaredShape = (event: string, told: Told, about: About) => object

/** No payload of these events was ever shown; the envelopes are those of the confirmed ones. */
export const DECLARED_SHAPES: readonly DeclaredShape[] = [eventWithData, flat, typeWithPayload, camelCaseObject]

/** `{event, data}` in the service's own names. */
function eventWithData(event: string, told: Told, { eventId, number, now }: About): object {
  return { id: eventId, event, created_at: iso(now), data: { ...told, phone_number_id: number.id } }
}

/** No envelope. */
function flat(_: string, told: Told, { number }: About): object {
  return { ...told, phone_number_id: number.id }
}

/** `{type, payload}`, the number in an object of its own. */
function typeWithPayload(event: string, told: Told, { number }: About): object {
  return { type: event, payload: { ...told, number: { id: number.id } } }
}

/** `{type, data: {object}}` in camel case. */
function camelCaseObject(event: string, told: Told, { eventId, number }: About): object {
  const members = Object.entries({ ...told, phone_number_id: number.id }).map(([name, value]) => [camel(name), value])
  return { id: eventId, type: event, data: { object: Object.fromEntries(members) } }
}

function camel(name: string): string {
  return name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
