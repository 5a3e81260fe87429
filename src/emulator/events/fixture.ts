/**
 * A payload that a service really sent, with the places of its facts: `customer` → `data.from`, `tapped.id` →
 * `data.interactive.id`. `switchhook payload export` writes such files.
 */
export interface Fixture {
  readonly event: string
  /** Fact → the path of its value in the payload. */
  readonly facts: Readonly<Record<string, string>>
  readonly payload: JsonObject
}

/** The content of an event, by the names that facts have in a fixture; `at` in milliseconds since the epoch. */
export type EventFacts = Readonly<Record<string, string | number | undefined>>

type JsonObject = { readonly [member: string]: unknown }
