import { isRecord } from '../base/value.ts'
import { type Branch, type Candidate, LAST_RANK, type Tables } from './candidates.ts'
import type { JsonObject } from './json.ts'
import { joinPath, type Located, type PathNode } from './locate.ts'
import type { Names } from './names.ts'

/** A value that stands at a candidate's place; never null and never the empty string. */
export interface Hit {
  readonly candidate: Candidate
  readonly value: unknown
  readonly path: string
  /** It stands in the message object, not in an object around it. */
  readonly inMessage: boolean
  /** It belongs to this message only, not to a batch as a whole. */
  readonly ownMessage: boolean
  readonly order: number
}

/** Hits by their candidates' name; in each list the most trustworthy hit comes first. */
export interface Hits {
  get(name: string): readonly Hit[] | undefined
}

/** The objects and lists of a payload that a search looked into: only their members can change what it finds. */
export type Searched = Set<object>

const NONE: readonly Hit[] = []

export function hitsOf(hits: Hits, name: string): readonly Hit[] {
  return hits.get(name) ?? NONE
}

/** Collects all values at the places of the tables: those in the message object, then those around it, nearest first. */
export function collect(
  { node: message }: Located,
  tables: Tables,
  searched?: Searched,
): ReadonlyMap<string, readonly Hit[]> {
  const collector = new Collector(searched)
  let ownMessage = true
  for (let node: PathNode | undefined = message; node; node = node.parent) {
    collector.enter(node === message, ownMessage)
    collector.walk(node.object, node === message ? tables.message : tables.above, node.path)
    if ((node.siblings ?? 1) > 1) ownMessage = false
  }
  for (const list of collector.hits.values()) if (list.length > 1) list.sort((a, b) => a.order - b.order)
  return collector.hits
}

const RANKS_PER_OBJECT = 1_000

class Collector {
  readonly hits = new Map<string, Hit[]>()
  readonly #searched: Searched | undefined
  /** Objects between the message object and the one that is walked. */
  #distance = -1
  #inMessage = true
  #ownMessage = true

  constructor(searched: Searched | undefined) {
    this.#searched = searched
  }

  enter(inMessage: boolean, ownMessage: boolean): void {
    this.#distance++
    this.#inMessage = inMessage
    this.#ownMessage = ownMessage
  }

  walk(object: JsonObject, names: Names<Branch>, path: string): void {
    this.#searched?.add(object)
    for (const key of Object.keys(object)) {
      const branch = names.get(key)
      if (branch === undefined) continue
      const value = object[key]
      if (value !== null && value !== '') this.#visit(branch, value, joinPath(path, key))
    }
  }

  #visit(branch: Branch, value: unknown, path: string): void {
    for (const candidate of branch.here) this.#add(candidate, value, path)
    if (Array.isArray(value)) {
      this.#searched?.add(value)
      const below = (value.length === 1 ? branch.listOnly : undefined) ?? branch.listFirst
      const element: unknown = value[0]
      if (below && element !== null && element !== undefined) this.#visit(below, element, `${path}[0]`)
    } else if (branch.below && isRecord(value)) this.walk(value, branch.below, path)
  }

  #add(candidate: Candidate, value: unknown, path: string): void {
    const order = candidate.rank + this.#distance * RANKS_PER_OBJECT
    const hit = { candidate, value, path, inMessage: this.#inMessage, ownMessage: this.#ownMessage, order }
    const list = this.hits.get(candidate.name)
    if (list === undefined) this.hits.set(candidate.name, [hit])
    else list.push(hit)
  }
}

/** Tells whether a hit is read only if nothing better is found. */
export function isLastResort(hit: Hit): boolean {
  return hit.order >= LAST_RANK
}
