import { type FactName, isFactName, type PayloadReading, type Shape, type View } from './facts.ts'
import type { EventLock, Lock } from './lock.ts'
import type { FactCount, ShapeCount } from './observations.ts'
import { readBody } from './read.ts'
import { shapePath, typesAt } from './shape.ts'

export interface Received {
  readonly event: string
  readonly body: Uint8Array
}

/** The shapes of one event's payloads, and where their facts were found. */
export interface EventSightings {
  /** How many payloads were read. */
  payloads: number
  /** Those of them whose shape is too large to be locked. */
  tooLarge: number
  /** By fingerprint. */
  readonly shapes: Map<string, { readonly places: readonly string[]; readonly seen: number }>
  /** By fact and path. */
  readonly facts: Map<FactName, Map<string, Sighting>>
}

/** How a fact was found at one path. */
export interface Sighting {
  readonly types: Set<string>
  seen: number
  /** How often the value is not sure, such as where another candidate says something else. */
  unsure: number
}

/** By event. */
export type Sightings = ReadonlyMap<string, EventSightings>

// No clock is needed to tell where a time stands.
const LATEST = Date.UTC(9999, 0)

/**
 * Looks where the facts of payloads stand, as they are guessed. Under a lock, facts that stand where it says, and those
 * that it passed over, are no news; unless it does not hold for a shape that it does not know.
 */
export function sightingsIn(payloads: Iterable<Received>, lock?: Lock): Map<string, EventSightings> {
  const sightings = new Map<string, EventSightings>()
  for (const { event, body } of payloads) {
    const context = { event, deliveryId: undefined, now: LATEST }
    const read = readBody(body, context)
    if ('refused' in read || read.views.some(isRenamed)) continue
    const seen = eventIn(sightings, event)
    seen.payloads++
    const shape = read.shape()
    if (shape.truncated) {
      seen.tooLarge++
      continue
    }
    const before = seen.shapes.get(shape.fingerprint)?.seen ?? 0
    seen.shapes.set(shape.fingerprint, { places: shape.paths, seen: before + 1 })
    const locked = lock?.of(event)
    const doubted = locked && !locked.knowsShape(shape) ? doubtedIn(readBody(body, { ...context, lock: locked })) : NONE
    for (const view of read.views) addFacts(seen, view, shape, locked, doubted)
  }
  return sightings
}

// Such a payload is not handled either.
function isRenamed({ alarms }: View): boolean {
  return alarms.some(({ code }) => code === 'event_name_mismatch')
}

const NONE: ReadonlySet<string> = new Set()

/** The facts for which the lock does not hold, and those against which another place speaks. */
function doubtedIn(read: PayloadReading): Set<string> {
  const alarms = 'refused' in read ? [] : read.views.flatMap((view) => view.alarms)
  const doubts = alarms.filter(({ code }) => code === 'lock_broken' || code === 'fact_conflict')
  return new Set(doubts.flatMap(({ fact }) => fact ?? []))
}

function addFacts(
  seen: EventSightings,
  { facts }: View,
  shape: Shape,
  lock: EventLock | undefined,
  doubted: ReadonlySet<string>,
): void {
  for (const [name, reading] of Object.entries(facts)) {
    if (reading === undefined || reading.how !== 'guessed') continue
    const fact = name as FactName
    const path = shapePath(reading.path)
    const types = typesAt(shape, path).filter((type) => type !== 'null')
    // Behind a name that may be data any member may stand.
    if (types.length === 0 || path.includes('*')) continue
    const isJudged = lock?.places.has(fact) && types.every((type) => lock.knows(`${path}:${type}`))
    if (isJudged && !doubted.has(fact)) continue
    add(seen, fact, path, { types, seen: 1, unsure: reading.sure && !isJudged ? 0 : 1 })
  }
}

interface Seen {
  readonly shapes: readonly Omit<ShapeCount, 'firstAt' | 'lastAt'>[]
  readonly facts: readonly Omit<FactCount, 'firstAt' | 'lastAt'>[]
}

/** Adds what a bot has counted since its first start: shapes of which no delivery is kept any more, and doubts. */
export function addCounts(sightings: Map<string, EventSightings>, { shapes, facts }: Seen): void {
  const isMissing = new Set<string>()
  for (const { event, fingerprint, paths, truncated, deliveries } of shapes) {
    if (event === '' || fingerprint === '' || truncated || sightings.get(event)?.shapes.has(fingerprint)) continue
    eventIn(sightings, event).shapes.set(fingerprint, { places: paths, seen: deliveries })
    isMissing.add(event)
  }
  for (const { event, fact, path, how, seen, sure } of facts) {
    const found = sightings.get(event)
    if (!found || !isFactName(fact)) continue
    const places = { paths: [...found.shapes.values()].flatMap((shape) => shape.places) }
    const types = new Set(typesAt(places, path).filter((type) => type !== 'null'))
    const isKnown = found.facts.get(fact)?.has(path) ?? false
    if ((how === 'guessed' || how === 'locked') && types.size > 0 && !isKnown && isMissing.has(event))
      add(found, fact, path, { types, seen, unsure: seen - sure })
    if (how === 'conflict')
      for (const sighting of found.facts.get(fact)?.values() ?? []) sighting.unsure = Math.max(sighting.unsure, seen)
  }
}

function eventIn(sightings: Map<string, EventSightings>, event: string): EventSightings {
  let seen = sightings.get(event)
  if (!seen) sightings.set(event, (seen = { payloads: 0, tooLarge: 0, shapes: new Map(), facts: new Map() }))
  return seen
}

function add(
  { facts }: EventSightings,
  fact: FactName,
  path: string,
  { types, seen, unsure }: { readonly types: Iterable<string>; readonly seen: number; readonly unsure: number },
): void {
  let byPath = facts.get(fact)
  if (!byPath) facts.set(fact, (byPath = new Map()))
  let sighting = byPath.get(path)
  if (!sighting) byPath.set(path, (sighting = { types: new Set(), seen: 0, unsure: 0 }))
  for (const type of types) sighting.types.add(type)
  sighting.seen += seen
  sighting.unsure += unsure
}
