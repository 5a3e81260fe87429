import { isRecord } from '../../../base/value.ts'
import { type Branch, type Candidate, LAST_RANK, ROLES, type Role, type Tables } from './candidates.ts'
import type { JsonObject } from './json.ts'
import { joinPath, type Located, type PathNode } from './locate.ts'
import type { Names } from './names.ts'

/** A candidate's place with a value. The value is never null or the empty string. */
export interface Hit {
  readonly candidate: Candidate
  readonly value: unknown
  readonly path: string
  /** True in the message object, false in an object around it. */
  readonly inMessage: boolean
  /** True if it belongs to this message only, not to a batch as a whole. */
  readonly ownMessage: boolean
  readonly order: number
}

export type Hits = { readonly [R in Role]: readonly Hit[] }

export interface Collected {
  readonly hits: Hits
}

/**
 * Collects all values at the places of the tables: those in the message object, then those around it, nearest first.
 */
export function collect({ node: message }: Located, tables: Tables): Collected {
  const collector = new Collector()
  let ownMessage = true
  for (let node: PathNode | undefined = message; node; node = node.parent) {
    collector.enter(node === message, ownMessage)
    collector.walk(node.object, node === message ? tables.message : tables.above, node.path)
    if ((node.siblings ?? 1) > 1) ownMessage = false
  }
  for (const role of collector.found) collector.hits[role].sort((a, b) => a.order - b.order)
  return collector
}

const NO_HITS = Object.fromEntries(ROLES.map((role) => [role, []])) as unknown as { readonly [R in Role]: Hit[] }

const RANKS_PER_OBJECT = 1_000

class Collector {
  readonly hits: { [R in Role]: Hit[] } = { ...NO_HITS }
  readonly found = new Set<Role>()
  /** The number of objects between the message object and the current one. */
  #distance = -1
  #inMessage = true
  #ownMessage = true

  enter(inMessage: boolean, ownMessage: boolean): void {
    this.#distance++
    this.#inMessage = inMessage
    this.#ownMessage = ownMessage
  }

  walk(object: JsonObject, names: Names<Branch>, path: string): void {
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
      const below = (value.length === 1 ? branch.listOnly : undefined) ?? branch.listFirst
      const element: unknown = value[0]
      if (below && element !== null && element !== undefined) this.#visit(below, element, `${path}[0]`)
    } else if (branch.below && isRecord(value)) this.walk(value, branch.below, path)
  }

  #add(candidate: Candidate, value: unknown, path: string): void {
    const { role, rank } = candidate
    const order = rank + this.#distance * RANKS_PER_OBJECT
    const hit = { candidate, value, path, inMessage: this.#inMessage, ownMessage: this.#ownMessage, order }
    if (this.found.has(role)) this.hits[role].push(hit)
    else this.hits[role] = [hit]
    this.found.add(role)
  }
}

export function isLastResort(hit: Hit): boolean {
  return hit.order >= LAST_RANK
}
