import type { FactName } from './facts.ts'
import type { LockedEvent, PayloadLock } from './lock-file.ts'
import type { EventSightings, Sighting, Sightings } from './sightings.ts'

/** A person's word on a fact: the paths at which it stands too, or none if it is to be guessed. */
export interface Choice {
  readonly event: string
  readonly fact: FactName
  /** Absent: all paths at which the fact was found. */
  readonly paths?: readonly string[]
}

/** A fact that is not locked unless a person says where it stands. */
export interface Doubt {
  readonly event: string
  readonly fact: FactName
  readonly found: readonly { readonly path: string; readonly seen: number; readonly unsure: number }[]
}

/** A choice that names a path which no payload has. */
export interface Unseen {
  readonly event: string
  readonly fact: FactName
  readonly path: string
}

/**
 * Makes a lock of what was seen, on top of an earlier one whose facts and shapes stay. A fact that is not sure wherever
 * it was found is locked only if a person chose its paths.
 */
export function makeLock(sightings: Sightings, choices: readonly Choice[] = [], earlier?: PayloadLock) {
  const made = { lock: { events: {} as Record<string, LockedEvent> }, doubts: [] as Doubt[], unseen: [] as Unseen[] }
  for (const event of new Set([...Object.keys(earlier?.events ?? {}), ...sightings.keys()])) {
    const before = earlier && Object.hasOwn(earlier.events, event) ? earlier.events[event] : undefined
    const seen = sightings.get(event)
    const shapes = { ...shapesOf(seen), ...before?.shapes }
    const chosen = choices.filter((choice) => choice.event === event)
    const sure = sureFacts(event, seen, chosen, before)
    made.doubts.push(...sure.doubts)
    const facts = { ...before?.facts, ...sure.facts }
    for (const choice of chosen) {
      const { places, unseen } = placesChosen(choice, seen, shapes)
      made.unseen.push(...unseen)
      if (places.length > 0) facts[choice.fact] = [...new Set([...(before?.facts[choice.fact] ?? []), ...places])]
      else delete facts[choice.fact]
    }
    if (Object.keys(facts).length > 0) made.lock.events[event] = { facts, shapes }
  }
  return made
}

function shapesOf(seen: EventSightings | undefined): LockedEvent['shapes'] {
  return Object.fromEntries([...(seen?.shapes ?? [])].map(([fingerprint, { places }]) => [fingerprint, places]))
}

type LockedFacts = { -readonly [F in FactName]?: readonly string[] }

/** The facts that nobody has to choose, at the places of the earlier lock and the new ones. */
function sureFacts(
  event: string,
  seen: EventSightings | undefined,
  chosen: readonly Choice[],
  before: LockedEvent | undefined,
): { readonly facts: LockedFacts; readonly doubts: readonly Doubt[] } {
  const facts: LockedFacts = {}
  const doubts: Doubt[] = []
  for (const [fact, byPath] of seen?.facts ?? []) {
    if (chosen.some((choice) => choice.fact === fact)) continue
    const earlier = before?.facts[fact]
    const found = [...byPath].map(([path, { seen: times, unsure }]) => ({ path, seen: times, unsure }))
    if (found.every(({ unsure }) => unsure === 0)) facts[fact] = [...new Set([...(earlier ?? []), ...placesOf(byPath)])]
    // A fact in doubt that the earlier lock does not have was left to guessing.
    else if (earlier || !before) doubts.push({ event, fact, found })
  }
  return { facts, doubts }
}

function placesChosen(
  { event, fact, paths }: Choice,
  seen: EventSightings | undefined,
  shapes: LockedEvent['shapes'],
): { readonly places: readonly string[]; readonly unseen: readonly Unseen[] } {
  const all = new Set(Object.values(shapes).flat())
  const places: string[] = []
  const unseen: Unseen[] = []
  for (const path of paths ?? seen?.facts.get(fact)?.keys() ?? []) {
    const at = path.includes('*') ? [] : [...all].filter((place) => isAt(place, path))
    places.push(...at)
    if (at.length === 0) unseen.push({ event, fact, path })
  }
  return { places, unseen }
}

function placesOf(byPath: ReadonlyMap<string, Sighting>): string[] {
  return [...byPath].flatMap(([path, { types }]) => [...types].map((type) => `${path}:${type}`))
}

function isAt(place: string, path: string): boolean {
  const type = place.startsWith(`${path}:`) ? place.slice(path.length + 1) : ''
  return type !== '' && type !== 'null' && !type.includes(':')
}
