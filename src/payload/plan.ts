import { isRecord } from '../base/value.ts'
import type { Hit, Hits, Searched } from './collect.ts'
import type { JsonObject } from './json.ts'
import { holdsJsonText, isSharedMember, mayHoldJsonText } from './locate.ts'
import { isEventName } from './values.ts'

/**
 * Remembers where the search found its values in a payload of some shape. Payloads of one service have few shapes, so
 * nearly every delivery is read by a plan: the shape is compared, and the values are taken from their places. A plan
 * saves the search alone; all that depends on values (readable, agreeing, plausible) is judged anew each time.
 */
export interface Plan {
  readonly shape: ObjectShape
  /** Each value that is taken: the index of the value that holds it, and its member; the body has index 0. */
  readonly steps: readonly { readonly parent: number; readonly key: string | number }[]
  /** Values that may be the payload's own name of its event, by index. */
  readonly eventNames: readonly number[]
  readonly views: readonly PlannedView[]
}

interface PlannedView {
  readonly isMessage: boolean
  readonly hasEnvelope: boolean
  readonly hits: ReadonlyMap<string, readonly PlannedHit[]>
}

interface PlannedHit {
  readonly hit: Omit<Hit, 'value'>
  readonly at: number
}

/** A view as the search found it: the hits of one message. */
export interface FoundView {
  readonly isMessage: boolean
  readonly hasEnvelope: boolean
  readonly hits: Hits
}

export interface SearchedView extends FoundView {
  readonly hits: ReadonlyMap<string, readonly Hit[]>
}

/** The result of searching a body, with the objects that the search looked into. */
export interface Search {
  readonly eventNames: readonly Hit[]
  readonly views: readonly SearchedView[]
  readonly searched: Searched
}

// ── shapes ──────────────────────────────────────────────────────────────────────────────────────────

/** The members of an object that was searched, in their order. */
interface ObjectShape {
  readonly keys: readonly string[]
  readonly members: readonly MemberShape[]
}

/** A list that was searched. */
interface ListShape {
  readonly elements: readonly MemberShape[]
}

/**
 * What the search can tell apart: `word` is a text that is no event's name, where that matters; `plain` a text that is
 * no JSON, where that matters. `object` and `list` were not looked into, so whatever they hold is the same.
 */
type Leaf = 'null' | 'empty' | 'text' | 'word' | 'event_name' | 'plain' | 'number' | 'boolean' | 'object' | 'list'
type MemberShape = Leaf | ObjectShape | ListShape

function shapeOf(object: JsonObject, searched: Searched): ObjectShape | undefined {
  const keys = Object.keys(object)
  const members: MemberShape[] = []
  for (const key of keys) {
    // Paths are taken apart at dots and brackets.
    const member = /[.[]/.test(key) ? undefined : memberShapeOf(key, object[key], searched)
    if (member === undefined) return undefined
    members.push(member)
  }
  return { keys, members }
}

function memberShapeOf(key: string, value: unknown, searched: Searched): MemberShape | undefined {
  if (value === null) return 'null'
  if (typeof value === 'string') return textShapeOf(key, value)
  if (typeof value === 'number') return 'number'
  if (typeof value === 'boolean') return 'boolean'
  if (!Array.isArray(value)) return searched.has(value as object) ? shapeOf(value as JsonObject, searched) : 'object'
  if (!searched.has(value)) return 'list'
  const elements: MemberShape[] = []
  for (const element of value) {
    const shape = memberShapeOf('', element, searched)
    if (shape === undefined) return undefined
    elements.push(shape)
  }
  return { elements }
}

function textShapeOf(key: string, value: string): Leaf | undefined {
  if (value === '') return 'empty'
  // JSON in a text is searched like an object, and its shape is not compared.
  if (holdsJsonText(key, value)) return undefined
  if (isSharedMember(key)) return isEventName(value) ? 'event_name' : 'word'
  return mayHoldJsonText(key) ? 'plain' : 'text'
}

function fits(shape: MemberShape, value: unknown): boolean {
  switch (shape) {
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
    default:
      return 'keys' in shape ? isRecord(value) && fitsObject(shape, value) : fitsList(shape, value)
  }
}

function fitsObject({ keys, members }: ObjectShape, object: JsonObject): boolean {
  const found = Object.keys(object)
  if (found.length !== keys.length) return false
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as string
    if (found[i] !== key || !fits(members[i] as MemberShape, object[key])) return false
  }
  return true
}

function fitsList({ elements }: ListShape, value: unknown): boolean {
  return (
    Array.isArray(value) && value.length === elements.length && elements.every((element, i) => fits(element, value[i]))
  )
}

// ── plans ───────────────────────────────────────────────────────────────────────────────────────────

/** Makes a plan of what a search found; `undefined` if the shape is too large, or cannot be compared. */
function planOf(body: JsonObject, { eventNames, views, searched }: Search): Plan | undefined {
  if (isTooLarge(searched)) return undefined
  const shape = shapeOf(body, searched)
  if (shape === undefined) return undefined
  const steps: { parent: number; key: string | number }[] = [{ parent: 0, key: '' }]
  const indexes = new Map<string, number>([['', 0]])
  const indexOf = (path: string): number => {
    const known = indexes.get(path)
    if (known !== undefined) return known
    const [, holder = '', member = '', index] = /^(.*?)(?:\.?([^.[\]]+)|\[(\d+)\])$/.exec(path) ?? []
    steps.push({ parent: indexOf(holder), key: index === undefined ? member : Number(index) })
    indexes.set(path, steps.length - 1)
    return steps.length - 1
  }
  const planned = ({ candidate, path, inMessage, ownMessage, order }: Hit): PlannedHit => ({
    hit: { candidate, path, inMessage, ownMessage, order },
    at: indexOf(path),
  })
  return {
    shape,
    eventNames: eventNames.map(({ path }) => indexOf(path)),
    views: views.map(({ hits, ...view }) => ({
      ...view,
      hits: new Map([...hits].map(([name, list]) => [name, list.map(planned)])),
    })),
    steps,
  }
}

/** A shape with more views, or more objects and lists, or more members and elements in them, is not remembered. */
export const LARGEST_SHAPE = 64
const MOST_MEMBERS = 1_000

function isTooLarge(searched: Searched): boolean {
  if (searched.size > LARGEST_SHAPE) return true
  let members = 0
  for (const each of searched) members += Array.isArray(each) ? each.length : Object.keys(each).length
  return members > MOST_MEMBERS
}

/** Takes the values of a body whose shape is the plan's. */
export function follow(plan: Plan, body: JsonObject): { eventName: string | undefined; views: readonly FoundView[] } {
  const { steps } = plan
  const values: unknown[] = [body]
  for (let i = 1; i < steps.length; i++) {
    const { parent, key } = steps[i] as (typeof steps)[number]
    values.push((values[parent] as Record<string | number, unknown>)[key])
  }
  return {
    eventName: plan.eventNames.map((at) => values[at]).find(isEventName),
    views: plan.views.map(({ isMessage, hasEnvelope, hits }) => ({
      isMessage,
      hasEnvelope,
      hits: new PlannedHits(hits, values),
    })),
  }
}

class PlannedHits implements Hits {
  readonly #hits: ReadonlyMap<string, readonly PlannedHit[]>
  readonly #values: readonly unknown[]

  constructor(hits: ReadonlyMap<string, readonly PlannedHit[]>, values: readonly unknown[]) {
    this.#hits = hits
    this.#values = values
  }

  get(name: string): readonly Hit[] | undefined {
    const values = this.#values
    return this.#hits.get(name)?.map(({ hit, at }) => ({ ...hit, value: values[at] }))
  }
}

const PLANS_PER_EVENT = 16
const MOST_EVENTS = 32

/** The plans of the shapes seen last. Bounded, since whoever may sign a delivery may also vary its shape. */
export class Plans {
  readonly #byEvent = new Map<string, Plan[]>()

  find(event: string, body: JsonObject): Plan | undefined {
    const plans = this.#byEvent.get(event)
    if (plans === undefined) return undefined
    for (let i = 0; i < plans.length; i++) {
      const plan = plans[i] as Plan
      if (!fitsObject(plan.shape, body)) continue
      // The shape that comes most often is compared first.
      if (i > 0) [plans[i - 1], plans[i]] = [plan, plans[i - 1] as Plan]
      return plan
    }
    return undefined
  }

  /** Remembers the shape of a body that was searched. */
  learn(event: string, body: JsonObject, search: Search): void {
    const plan = planOf(body, search)
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
