import type { FactName, Shape, View } from './facts.ts'
import type { EventLock, Lock } from './lock.ts'
import { readBody } from './read.ts'
import { shapePath, typesAt } from './shape.ts'

/** A payload that was received, as bytes. */
export interface Received {
  readonly event: string
  readonly body: Uint8Array
}

/** The shapes of one event's payloads, and where their facts were found. */
export interface EventSightings {
  /** How many payloads were read. */
  payloads: number
  /** Payloads whose shape is too large to be locked. */
  tooLarge: number
  /** By fingerprint. */
  readonly shapes: Map<string, { readonly places: readonly string[]; seen: number }>
  /** By fact and path. */
  readonly facts: Map<FactName, Map<string, Sighting>>
}

/** How a fact was found at one path. */
export interface Sighting {
  readonly types: Set<string>
  seen: number
  /** How often the value is not sure, or another candidate says something else. */
  unsure: number
}

export type Sightings = ReadonlyMap<string, EventSightings>

/** No clock is needed to tell where a time stands. */
const LATEST = Date.UTC(9999, 0)

/**
 * Looks where the facts of payloads stand, as they are guessed. Under a lock, facts that stand where it says, and those
 * that it passed over, are no news.
 */
export function sightingsIn(payloads: Iterable<Received>, lock?: Lock): Sightings {
  const sightings = new Map<string, EventSightings>()
  for (const { event, body } of payloads) {
    const read = readBody(body, { event, deliveryId: undefined, now: LATEST })
    if ('refused' in read || read.views.some(isRenamed)) continue
    let seen = sightings.get(event)
    if (!seen) sightings.set(event, (seen = { payloads: 0, tooLarge: 0, shapes: new Map(), facts: new Map() }))
    seen.payloads++
    const shape = read.shape()
    if (shape.truncated) {
      seen.tooLarge++
      continue
    }
    const known = seen.shapes.get(shape.fingerprint)
    seen.shapes.set(shape.fingerprint, { places: shape.paths, seen: (known?.seen ?? 0) + 1 })
    for (const view of read.views) addFacts(seen, view, shape, lock?.of(event))
  }
  return sightings
}

// Such a payload is not handled either.
function isRenamed({ alarms }: View): boolean {
  return alarms.some(({ code }) => code === 'event_name_mismatch')
}

function addFacts({ facts: found }: EventSightings, { facts, alarms }: View, shape: Shape, lock?: EventLock): void {
  for (const [name, reading] of Object.entries(facts)) {
    if (reading === undefined || reading.how !== 'guessed') continue
    const fact = name as FactName
    const path = shapePath(reading.path)
    const types = typesAt(shape, path).filter((type) => type !== 'null')
    if (types.length === 0 || (lock?.places.has(fact) && types.every((type) => lock.knows(`${path}:${type}`)))) continue
    const byPath = found.get(fact) ?? new Map<string, Sighting>()
    const sighting = byPath.get(path) ?? { types: new Set(), seen: 0, unsure: 0 }
    for (const type of types) sighting.types.add(type)
    sighting.seen++
    if (!reading.sure || alarms.some((alarm) => alarm.code === 'fact_conflict' && alarm.fact === fact))
      sighting.unsure++
    found.set(fact, byPath.set(path, sighting))
  }
}
