import { iso } from '../model/emulated-clock.ts'
import type { About } from './event.ts'

/** The facts of a declared event. Members are in snake case, and each name is clear without context. */
export type DeclaredFacts = Readonly<Record<string, unknown>>

type DeclaredShape = (event: string, facts: DeclaredFacts, about: About) => object

/** Shapes for events whose payload was never shown. The envelopes are those of the confirmed events. */
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
