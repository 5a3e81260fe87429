import { isRecord } from '../base/value.ts'
import { type Branch, type Candidate, LAST } from './candidates.ts'
import type { JsonObject } from './json.ts'
import { join, type Place, type Spot } from './locate.ts'
import type { Names } from './names.ts'
import type { Tables } from './tables.ts'

/** A value that stands at a candidate's place; never null and never the empty string, which say nothing. */
export interface Hit {
  readonly candidate: Candidate
  readonly value: unknown
  readonly path: string
  /** Whether it stands in the message object, and not around it. */
  readonly inMessage: boolean
  /** Whether it belongs to this message alone, and not to a batch as a whole. */
  readonly alone: boolean
  readonly order: number
}

/** Hits by slot, each list in the order in which its values are to be believed. */
export type Hits = ReadonlyMap<string, readonly Hit[]>

const NONE: readonly Hit[] = []

export function hitsOf(hits: Hits, slot: string): readonly Hit[] {
  return hits.get(slot) ?? NONE
}

/** All values at the places of the tables: in the message object first, then around it, the nearest first. */
export function gather(place: Place, tables: Tables): Hits {
  const basket = new Basket()
  let alone = true
  for (let spot: Spot | undefined = place.spot; spot; spot = spot.parent) {
    basket.enter(spot === place.spot, alone)
    basket.walk(spot.object, spot === place.spot ? tables.message : tables.above, spot.path)
    if ((spot.siblings ?? 1) > 1) alone = false
  }
  for (const list of basket.hits.values()) if (list.length > 1) list.sort((a, b) => a.order - b.order)
  return basket.hits
}

const RANKS_PER_OBJECT = 1_000

class Basket {
  readonly hits = new Map<string, Hit[]>()
  #distance = -1
  #inMessage = true
  #alone = true

  enter(inMessage: boolean, alone: boolean): void {
    this.#distance++
    this.#inMessage = inMessage
    this.#alone = alone
  }

  walk(object: JsonObject, names: Names<Branch>, path: string): void {
    for (const key of Object.keys(object)) {
      const branch = names.get(key)
      if (branch === undefined) continue
      const value = object[key]
      if (value !== null && value !== '') this.#visit(branch, value, join(path, key))
    }
  }

  #visit(branch: Branch, value: unknown, path: string): void {
    for (const candidate of branch.here) this.#take(candidate, value, path)
    if (Array.isArray(value)) {
      const below = (value.length === 1 ? branch.listOnly : undefined) ?? branch.listFirst
      const element: unknown = value[0]
      if (below && element !== null && element !== undefined) this.#visit(below, element, `${path}[0]`)
    } else if (branch.below && isRecord(value)) this.walk(value, branch.below, path)
  }

  #take(candidate: Candidate, value: unknown, path: string): void {
    const order = candidate.rank + this.#distance * RANKS_PER_OBJECT
    const hit = { candidate, value, path, inMessage: this.#inMessage, alone: this.#alone, order }
    const list = this.hits.get(candidate.slot)
    if (list === undefined) this.hits.set(candidate.slot, [hit])
    else list.push(hit)
  }
}

/** Whether a candidate is one of those that are read only where nothing better stands. */
export function isLastResort(hit: Hit): boolean {
  return hit.order >= LAST
}
