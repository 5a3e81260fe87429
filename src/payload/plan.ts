import { isRecord } from '../base/value.ts'
import type { Role } from './candidates.ts'
import type { Hit, Hits, Searched } from './collect.ts'
import type { JsonObject } from './json.ts'
import { holdsJsonText, isSharedMember, joinPath, mayHoldJsonText } from './locate.ts'
import { isEventName } from './values.ts'

/** A view as the search found it: the hits of one message. */
export interface FoundView {
  readonly isMessage: boolean
  readonly hasEnvelope: boolean
  readonly hits: Hits
}

/** The result of searching a body: the same for each body of its shape, but for the values. */
interface Found {
  /** Values that may be the payload's own name of its event. */
  readonly eventNames: readonly Hit[]
  readonly views: readonly FoundView[]
}

/**
 * Remembers where the search found its values in a payload of some shape. Payloads of one service have few shapes, so
 * nearly every delivery is read by a plan: one walk compares the shape and takes the values from their places. A plan
 * saves the search alone; all that depends on values (readable, agreeing, plausible) is judged anew each time.
 */
interface Plan extends Found {
  readonly shape: ObjectShape
}

/** A plan that fits a body, with the body's values. */
export interface Planned {
  readonly plan: Found
  readonly values: readonly unknown[]
}

const PLANS_PER_EVENT = 16
const MOST_EVENTS = 32

/** The plans of the shapes seen last. Bounded, since whoever may sign a delivery may also vary its shape. */
export class Plans {
  readonly #byEvent = new Map<string, Plan[]>()

  find(event: string, body: JsonObject): Planned | undefined {
    const plans = this.#byEvent.get(event)
    if (plans === undefined) return undefined
    for (let i = 0; i < plans.length; i++) {
      const plan = plans[i] as Plan
      const values: unknown[] = []
      if (!takeFromObject(plan.shape, body, values)) continue
      // The shape that comes most often is compared first.
      if (i > 0) [plans[i - 1], plans[i]] = [plan, plans[i - 1] as Plan]
      return { plan, values }
    }
    return undefined
  }

  /** Remembers the shape of a body that was searched. */
  learn(event: string, body: JsonObject, found: Found, searched: Searched): void {
    const plan = planOf(body, found, searched)
    if (!plan) return
    let plans = this.#byEvent.get(event)
    if (plans === undefined) {
      const [oldest] = this.#byEvent.keys()
      if (this.#byEvent.size >= MOST_EVENTS && oldest !== undefined) this.#byEvent.delete(oldest)
      this.#byEvent.set(event, (plans = []))
    }
    if (plans.length >= PLANS_PER_EVENT) plans.pop()
    plans.push(plan)
  }

  get size(): number {
    return [...this.#byEvent.values()].reduce((sum, plans) => sum + plans.length, 0)
  }
}

// ── comparing and taking ────────────────────────────────────────────────────────────────────────────

/** The members of an object that was searched, in their order. */
interface ObjectShape {
  readonly keys: readonly string[]
  readonly members: readonly Member[]
}

/**
 * What the search can tell apart: `word` is a text that is no event's name, where that matters; `plain` a text that is
 * no JSON, where that matters. `object` and `list` were not looked into, so whatever they hold is the same.
 */
type Leaf = 'null' | 'empty' | 'text' | 'word' | 'event_name' | 'plain' | 'number' | 'boolean' | 'object' | 'list'

interface Member {
  readonly shape: Leaf | ObjectShape | readonly Member[]
  /** Its value is among the values that the search found. */
  readonly taken: boolean
}

/** Takes the values of an object, in their order; false if its shape is another one. */
function takeFromObject({ keys, members }: ObjectShape, object: JsonObject, values: unknown[]): boolean {
  let i = 0
  for (const key in object) {
    if (key !== keys[i]) return false
    if (!take(members[i] as Member, object[key], values)) return false
    i++
  }
  return i === keys.length
}

function take({ shape, taken }: Member, value: unknown, values: unknown[]): boolean {
  if (taken) values.push(value)
  if (typeof shape === 'string') return isLeaf(shape, value)
  if (isList(shape)) {
    if (!Array.isArray(value) || value.length !== shape.length) return false
    for (let i = 0; i < shape.length; i++) if (!take(shape[i] as Member, value[i], values)) return false
    return true
  }
  return isRecord(value) && takeFromObject(shape, value, values)
}

function isList(shape: ObjectShape | readonly Member[]): shape is readonly Member[] {
  return Array.isArray(shape)
}

function isLeaf(leaf: Leaf, value: unknown): boolean {
  switch (leaf) {
    case 'text':
      return typeof value === 'string' && value !== ''
    case 'word':
      return typeof value === 'string' && value !== '' && !isEventName(value)
    case 'event_name':
      return isEventName(value)
    case 'plain':
      return typeof value === 'string' && value !== '' && !value.startsWith('{')
    case 'empty':
      return value === ''
    case 'null':
      return value === null
    case 'number':
      return typeof value === 'number'
    case 'boolean':
      return typeof value === 'boolean'
    case 'object':
      return isRecord(value)
    case 'list':
      return Array.isArray(value)
  }
}

// ── making a plan ───────────────────────────────────────────────────────────────────────────────────

/** A shape with more views, or more objects and lists, or more members and elements in them, is not remembered. */
export const LARGEST_SHAPE = 64
const MOST_MEMBERS = 1_000

function isTooLarge(searched: Searched): boolean {
  if (searched.size > LARGEST_SHAPE) return true
  let members = 0
  for (const each of searched) members += Array.isArray(each) ? each.length : Object.keys(each).length
  return members > MOST_MEMBERS
}

/** Makes a plan of what a search found; `undefined` if the shape is too large, or cannot be compared. */
function planOf(body: JsonObject, { eventNames, views }: Found, searched: Searched): Plan | undefined {
  if (isTooLarge(searched)) return undefined
  const lists = [eventNames, ...views.flatMap(({ hits }) => Object.values(hits))]
  const paths = new Set(lists.flatMap((hits) => hits.map(({ path }) => path)))
  const places = new Map<string, number>()
  const shape = shapeOf(body, '', { searched, paths, places })
  if (shape === undefined) return undefined
  const planned = (hits: readonly Hit[]) => hits.map((hit) => ({ ...hit, at: places.get(hit.path) as number }))
  return {
    shape,
    eventNames: planned(eventNames),
    views: views.map((view) => ({ ...view, hits: mapHits(view.hits, planned) })),
  }
}

function mapHits(hits: Hits, map: (hits: readonly Hit[]) => readonly Hit[]): Hits {
  const mapped: { [R in Role]: readonly Hit[] } = { ...hits }
  for (const role of Object.keys(hits) as Role[]) if (hits[role].length > 0) mapped[role] = map(hits[role])
  return mapped
}

interface ShapeOptions {
  readonly searched: Searched
  /** The paths of the values that are taken. */
  readonly paths: ReadonlySet<string>
  /** Gathers for each path which of the values stands there. */
  readonly places: Map<string, number>
}

function shapeOf(object: JsonObject, path: string, options: ShapeOptions): ObjectShape | undefined {
  const keys = Object.keys(object)
  const members: Member[] = []
  for (const key of keys) {
    // Such a key makes paths ambiguous.
    if (/[.[]/.test(key)) return undefined
    const member = memberOf(key, object[key], joinPath(path, key), options)
    if (member === undefined) return undefined
    members.push(member)
  }
  return { keys, members }
}

function memberOf(key: string, value: unknown, path: string, options: ShapeOptions): Member | undefined {
  const taken = options.paths.has(path)
  if (taken) options.places.set(path, options.places.size)
  const shape = shapeOfMember(key, value, path, options)
  return shape && { shape, taken }
}

function shapeOfMember(key: string, value: unknown, path: string, options: ShapeOptions): Member['shape'] | undefined {
  if (value === null) return 'null'
  if (typeof value === 'string') return leafOfText(key, value)
  if (typeof value === 'number') return 'number'
  if (typeof value === 'boolean') return 'boolean'
  if (!Array.isArray(value))
    return options.searched.has(value as object) ? shapeOf(value as JsonObject, path, options) : 'object'
  if (!options.searched.has(value)) return 'list'
  const elements: Member[] = []
  for (const [index, element] of value.entries()) {
    const member = memberOf('', element, `${path}[${index}]`, options)
    if (member === undefined) return undefined
    elements.push(member)
  }
  return elements
}

function leafOfText(key: string, value: string): Leaf | undefined {
  if (value === '') return 'empty'
  // JSON in a text is searched like an object, and its shape is not compared.
  if (holdsJsonText(key, value)) return undefined
  if (isSharedMember(key)) return isEventName(value) ? 'event_name' : 'word'
  return mayHoldJsonText(key) ? 'plain' : 'text'
}
