import type { FactMapping } from './facts.ts'
import type { JsonObject, Parse } from './json.ts'
import { holdsText, type Place, type Spot } from './locate.ts'

/** One fact of a mapping, made ready to be looked up. */
export interface MappedFact {
  readonly name: string
  /** As the app wrote it; `()` for a function. */
  readonly path: string
  readonly find: (json: JsonObject, parse: Parse) => unknown
  readonly isFunction: boolean
}

const ready = new WeakMap<FactMapping, readonly MappedFact[]>()

/** The facts of a mapping; paths are taken apart once, not for each delivery. */
export function mappedFacts(mapping: FactMapping): readonly MappedFact[] {
  const known = ready.get(mapping)
  if (known) return known
  const facts = Object.entries(mapping).map(([name, where]): MappedFact => {
    if (typeof where === 'function') return { name, path: '()', find: (json) => where(json), isFunction: true }
    const steps = where.split(/[.[\]]+/).filter((step) => step !== '')
    return { name, path: where, find: (json, parse) => follow(json, steps, parse), isFunction: false }
  })
  ready.set(mapping, facts)
  return facts
}

function follow(json: JsonObject, steps: readonly string[], parse: Parse): unknown {
  let value: unknown = json
  let key = ''
  for (const step of steps) {
    if (holdsText(key, value)) value = parse(value)
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined
    value = (value as JsonObject)[step]
    key = step
  }
  return value
}

/** The body as it would be if a batch's message had come alone: each list on the way to it holds nothing else. */
export function aloneIn(place: Place): JsonObject {
  let json: JsonObject = place.spot.object
  // A computed member never sets a prototype, whatever it is called.
  for (let spot: Spot = place.spot; spot.parent; spot = spot.parent)
    json = { ...spot.parent.object, [spot.key]: spot.index === undefined ? json : [json] }
  return json
}
