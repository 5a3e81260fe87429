import { ROLES, type Role } from './candidates.ts'
import type { Collected, Hit, Hits, Searched } from './collect.ts'
import type { Shape } from './facts.ts'
import type { JsonObject } from './json.ts'
import { Pattern, type Slot, valuesOf, withoutEscapes } from './pattern.ts'

/** A view as the search found it: the hits of one message. */
export interface FoundView extends Collected {
  readonly isMessage: boolean
  readonly hasEnvelope: boolean
}

/** The result of a search: the same for each body of a shape, but for the values. */
export interface Found {
  /** Values that may be the payload's own name of its event. */
  readonly eventNames: readonly Hit[]
  readonly views: readonly FoundView[]
  /** Made when it is asked for. */
  readonly shape: () => Shape
}

/** A body that was searched, as text and parsed. */
export interface SearchedBody extends Found {
  readonly text: string
  readonly body: JsonObject
  readonly values: readonly unknown[]
  readonly searched: Searched
}

/**
 * Remembers where the search found its values in a body of some shape. Payloads of one service have few shapes, so
 * nearly every delivery is read by a plan: a regular expression compares the shape and takes the values out of the
 * text, which is cheaper than to parse it. A plan saves the parsing and the search alone; all that depends on values
 * (readable, agreeing, plausible) is judged anew each time.
 */
interface Plan extends Found {
  readonly pattern: RegExp
  /** Serves nearly all texts. */
  readonly withoutEscapes: RegExp
  readonly slots: readonly Slot[]
}

/** A plan that fits a body, with the body's values. */
export interface Planned {
  readonly plan: Found
  readonly values: readonly unknown[]
  readonly hasEscapes: boolean
}

const PLANS_PER_EVENT = 16
const MOST_EVENTS = 16
// Making a plan costs as much as reading some 20 bodies without one, so a sender whose shapes are always new gets few.
const FREE_PLANS = 128
const BODIES_PER_PLAN = 256
const MOST_REMEMBERED = 1_024

/** The plans of the shapes seen last. Bounded, since whoever may sign a delivery may also vary its shape. */
export class Plans {
  readonly #byEvent = new Map<string, Plan[]>()
  readonly #cameOnce = new Set<string>()
  #bodies = 0
  #attempts = 0

  find(event: string, text: string): Planned | undefined {
    this.#bodies++
    const plans = this.#byEvent.get(event)
    if (plans === undefined || text.length > LONGEST_TEXT) return undefined
    const hasEscapes = text.includes('\\')
    for (let i = 0; i < plans.length; i++) {
      const plan = plans[i] as Plan
      const match = (hasEscapes ? plan.pattern : plan.withoutEscapes).exec(text)
      const values = match && valuesOf(plan.slots, match, hasEscapes)
      if (!values) continue
      // The shape that comes most often is compared first.
      if (i > 0) [plans[i - 1], plans[i]] = [plan, plans[i - 1] as Plan]
      return { plan, values, hasEscapes }
    }
    return undefined
  }

  /** Remembers the shape of a body that was searched, if it has come before: a shape that comes once needs no plan. */
  learn(event: string, searched: SearchedBody): void {
    if (searched.text.length > LONGEST_TEXT || this.#comesFirst(event, searched.shape())) return
    if (this.#attempts > FREE_PLANS + this.#bodies / BODIES_PER_PLAN) return
    this.#attempts++
    const plan = planOf(searched)
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

  #comesFirst(event: string, { fingerprint }: Shape): boolean {
    const shape = `${event} ${fingerprint}`
    if (this.#cameOnce.delete(shape)) return false
    if (this.#cameOnce.size >= MOST_REMEMBERED) this.#cameOnce.clear()
    this.#cameOnce.add(shape)
    return true
  }

  get size(): number {
    return [...this.#byEvent.values()].reduce((sum, plans) => sum + plans.length, 0)
  }
}

// ── making a plan ───────────────────────────────────────────────────────────────────────────────────

/** A longer body, or one with more views or with a longer pattern, is not remembered. */
const LONGEST_TEXT = 65_536
export const MOST_VIEWS = 64
const LONGEST_PATTERN = 4_096

/** The roles whose objects are read themselves, and not only their members. */
const ROLES_OF_OBJECTS: ReadonlySet<Role> = new Set(['interactive', 'option'])

/** Makes a plan of what a search found; `undefined` if the shape is too large, or cannot be matched. */
function planOf({ text, body, eventNames, views, shape, values, searched }: SearchedBody): Plan | undefined {
  if (text.length > LONGEST_TEXT || views.length > MOST_VIEWS) return undefined
  const paths = new Set(eventNames.map(({ path }) => path))
  const objects = new Set<string>()
  for (const { hits } of views)
    for (const role of ROLES)
      for (const { path } of hits[role]) {
        paths.add(path)
        if (ROLES_OF_OBJECTS.has(role)) objects.add(path)
      }
  const gap = /^\{"[^"\\]*": /.test(text) ? ' ' : ''
  const pattern = new Pattern({ searched, paths, objects, gap })
  const source = pattern.ofBody(body)
  if (source === undefined || source.length > LONGEST_PATTERN) return undefined
  const { slots, places } = pattern
  const planned = (hits: readonly Hit[]) => hits.map((hit) => ({ ...hit, at: places.get(hit.path) as number }))
  const plan = {
    pattern: new RegExp(source),
    withoutEscapes: new RegExp(withoutEscapes(source)),
    slots,
    shape,
    eventNames: planned(eventNames),
    views: views.map((view) => ({ ...view, hits: mapHits(view.hits, planned) })),
  }
  // A text that is written in another way, such as one with a member that comes twice, makes no plan.
  const match = plan.pattern.exec(text)
  const taken = match && valuesOf(slots, match, true)
  const isSame = (hits: readonly Hit[]) =>
    hits.every(({ path, at }) => isSameValue(taken?.[places.get(path) ?? -1], values[at]))
  return [eventNames, ...views.flatMap(({ hits }) => Object.values(hits))].every(isSame) && taken ? plan : undefined
}

function isSameValue(taken: unknown, searched: unknown): boolean {
  return typeof searched === 'object' ? typeof taken === 'object' : taken === searched
}

function mapHits(hits: Hits, map: (hits: readonly Hit[]) => readonly Hit[]): Hits {
  const mapped: { [R in Role]: readonly Hit[] } = { ...hits }
  for (const role of ROLES) if (hits[role].length > 0) mapped[role] = map(hits[role])
  return mapped
}
