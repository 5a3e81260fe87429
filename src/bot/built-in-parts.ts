import { atMostOne } from '../base/value.ts'
import * as list from '../built-in/bot-parts.ts'
import * as entered from '../built-in/entered-routes.ts'
import * as silences from '../built-in/silences.ts'
import type { SenderMembers } from '../built-in/sender.ts'
import type { BuiltInDeps, BuiltInFeature, BuiltInPart, SendContent } from './feature.ts'
import type { EnteredRoutes, Silencing } from './work/running-attempt.ts'

// The compiler cannot know that each feature is called with its own part.
const FEATURES = Object.entries(list) as unknown as readonly (readonly [string, BuiltInFeature])[]

/** The feature with routes that a customer enters, such as conversations; undefined without one. */
export const ENTERED = atMostOne<EnteredRoutes>(entered)

/** The feature that makes a bot silent to customers; undefined without one. */
export const SILENCING = atMostOne<Silencing>(silences)

export type BuiltInParts = ReadonlyMap<string, BuiltInPart>

export function createBuiltIn(deps: BuiltInDeps): BuiltInParts {
  return new Map(FEATURES.map(([name, { create }]) => [name, create(deps)]))
}

/** Returns the functions that features send their own kinds of content with, such as one-time codes, by kind. */
export function ownSendsOf(parts: BuiltInParts): ReadonlyMap<unknown, SendContent> {
  return new Map([...parts.values()].flatMap(({ sends = {} }) => Object.entries(sends)))
}

export function senderMembers(
  number: string,
  during: <T>(call: (parts: BuiltInParts) => Promise<T>) => Promise<T>,
): SenderMembers {
  const members = FEATURES.map(([name, feature]) =>
    feature.senderMembers?.(number, (call) => during((parts) => call(parts.get(name) as BuiltInPart))),
  )
  return Object.assign({}, ...members) as SenderMembers
}

export async function countStates(
  parts: BuiltInParts,
): Promise<Readonly<Record<string, Readonly<Record<string, number>>>>> {
  const counts = [...parts].flatMap(
    ([name, part]) => part.countStates?.().then((states) => [name, states] as const) ?? [],
  )
  return Object.fromEntries(await Promise.all(counts))
}

export const STATE_GAUGES = FEATURES.flatMap(([name, { gauge }]) => (gauge ? [{ name, ...gauge }] : []))
