import type { FactName } from './facts.ts'
import type { LockedEvent, PayloadLock } from './lock-file.ts'
import type { EventSightings, Sighting, Sightings } from './sightings.ts'

/** What a person says about a fact: the paths at which it stands, or none if it is to be guessed. */
export interface Choice {
  readonly event: string
  readonly fact: FactName
  readonly paths: readonly string[]
}

/** A fact that is not locked unless a person says where it stands. */
export interface Doubt {
  readonly event: string
  readonly fact: FactName
  readonly found: readonly { readonly path: string; readonly seen: number; readonly unsure: number }[]
}

/** A choice that names a place which no payload has. */
export interface Unseen {
  readonly event: string
  readonly fact: FactName
  readonly path: string
}

export interface MadeLock {
  readonly lock: PayloadLock
  readonly doubts: readonly Doubt[]
  readonly unseen: readonly Unseen[]
}

const NONE: EventSightings = { payloads: 0, tooLarge: 0, shapes: new Map(), facts: new Map() }

/**
 * Makes a lock of what was seen, on top of an earlier one whose facts and shapes stay. A fact that is not sure at every
 * place is locked only if a person chose its places.
 */
export function makeLock(sightings: Sightings, choices: readonly Choice[] = [], earlier?: PayloadLock): MadeLock {
  const events: Record<string, LockedEvent> = {}
  const doubts: Doubt[] = []
  const unseen: Unseen[] = []
  for (const event of new Set([...Object.keys(earlier?.events ?? {}), ...sightings.keys()])) {
    const seen = sightings.get(event) ?? NONE
    const before = earlier && Object.hasOwn(earlier.events, event) ? earlier.events[event] : undefined
    const shapes = {
      ...Object.fromEntries([...seen.shapes].map(([name, { places }]) => [name, places])),
      ...before?.shapes,
    }
    const places = new Set(Object.values(shapes).flat())
    const chosen = new Map(
      choices.filter((choice) => choice.event === event).map((choice) => [choice.fact, choice.paths]),
    )
    const facts: Partial<Record<FactName, readonly string[]>> = { ...before?.facts }
    for (const [fact, byPath] of seen.facts) {
      if (chosen.has(fact)) continue
      const isNew = facts[fact] === undefined
      // The earlier lock leaves the fact to guessing: somebody said so.
      if (isNew && before && !isSure(byPath)) continue
      if (isSure(byPath)) facts[fact] = [...new Set([...(facts[fact] ?? []), ...placesOf(byPath)])]
      else
        doubts.push({
          event,
          fact,
          found: [...byPath].map(([path, { seen: times, unsure }]) => ({ path, seen: times, unsure })),
        })
    }
    for (const [fact, paths] of chosen) {
      delete facts[fact]
      const locked = paths.map((path) => [path, [...places].filter((place) => isAt(place, path))] as const)
      for (const [path, at] of locked) if (at.length === 0) unseen.push({ event, fact, path })
      if (paths.length > 0) facts[fact] = locked.flatMap(([, at]) => at)
    }
    if (Object.keys(facts).length > 0) events[event] = { facts, shapes }
  }
  return { lock: { events }, doubts, unseen }
}

function isSure(byPath: ReadonlyMap<string, Sighting>): boolean {
  return [...byPath.values()].every(({ unsure }) => unsure === 0)
}

function placesOf(byPath: ReadonlyMap<string, Sighting>): string[] {
  return [...byPath].flatMap(([path, { types }]) => [...types].map((type) => `${path}:${type}`))
}

function isAt(place: string, path: string): boolean {
  return place.startsWith(`${path}:`) && !place.endsWith(':null') && !place.slice(path.length + 1).includes(':')
}
