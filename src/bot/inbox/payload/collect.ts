import { isRecord } from '../../../base/value.ts'
import type { JsonObject } from './json.ts'
import { joinPath, type Located, type PathNode } from './locate.ts'
import { BY_EVENT, type Form, OF_BODY, OTHER, type Rank, type TableName, type Tables } from './tables.ts'
import { plainName } from './values.ts'

/** A value at a place of a table. Never null or the empty string. */
export interface Hit {
  readonly place: Candidate
  readonly value: unknown
  /** The path in the payload's own spelling. */
  readonly path: string
  /** True in the message object, false in an object around it. */
  readonly inMessage: boolean
  /** False if it belongs to a batch as a whole. */
  readonly ownMessage: boolean
  /** The lowest counts: nearest to the message first, then by the table, places of the last resort at the end. */
  readonly order: number
}

export type Hits = { readonly [N in TableName]: readonly Hit[] }

interface Candidate {
  readonly table: TableName
  readonly path: string
  readonly rank: Rank
  readonly form: Form
  readonly order: number
}

/** The places as a tree of members, so that one pass over an object finds them all. */
interface Branch {
  readonly here: Candidate[]
  below?: Map<string, Branch>
  listFirst?: Branch
  listOnly?: Branch
}

interface Compiled {
  readonly message: ReadonlyMap<string, Branch>
  readonly around: ReadonlyMap<string, Branch>
}

const LAST_RESORT = 1_000_000
const PER_OBJECT = 1_000

function compile(tables: Tables): Compiled {
  const roots: Record<'message' | 'around', Branch> = { message: { here: [] }, around: { here: [] } }
  for (const [name, { places }] of Object.entries(tables))
    for (const [index, { path, rank, form, only }] of places.entries()) {
      const order = rank === 'lastResort' ? index + LAST_RESORT : index
      const candidate = { table: name as TableName, path, rank, form, order }
      for (const where of ['message', 'around'] as const)
        if ((only ?? where) === where) branchAt(roots[where], path).here.push(candidate)
    }
  return { message: roots.message.below ?? new Map(), around: roots.around.below ?? new Map() }
}

function branchAt(root: Branch, path: string): Branch {
  let branch = root
  for (const step of path.split(/\.|(?=\[)/)) {
    if (step === '[0]') branch = branch.listFirst ??= { here: [] }
    else if (step === '[only]') branch = branch.listOnly ??= { here: [] }
    else {
      const below: Map<string, Branch> = (branch.below ??= new Map())
      const child = below.get(step) ?? { here: [] }
      below.set(step, child)
      branch = child
    }
  }
  return branch
}

const COMPILED = new Map(Object.entries(BY_EVENT).map(([event, tables]) => [event, compile(tables)]))
const OTHERS = compile(OTHER)
const NAMED = compile(OF_BODY)

/** Collects the values at all places of an event's tables. */
export function collect(message: Located, event: string): Hits {
  return collectBy(message.node, COMPILED.get(event) ?? OTHERS)
}

/** The values where a body may name its event. */
export function collectEventNames(body: JsonObject): readonly Hit[] {
  return collectBy({ object: body, path: '', key: '' }, NAMED).eventName
}

const NO_HITS = Object.fromEntries(
  [...Object.values(BY_EVENT), OF_BODY].flatMap((tables) => Object.keys(tables).map((table) => [table, []])),
) as unknown as Hits

function collectBy(message: PathNode, tables: Compiled): Hits {
  const hits = { ...NO_HITS } as { [N in TableName]: Hit[] }
  const found = new Set<TableName>()
  let distance = 0
  let inMessage = true
  let ownMessage = true

  const walk = (object: JsonObject, names: ReadonlyMap<string, Branch>, path: string) => {
    for (const key of Object.keys(object)) {
      const branch = names.get(plainName(key))
      if (branch === undefined) continue
      const value = object[key]
      if (value !== null && value !== '') visit(branch, value, joinPath(path, key))
    }
  }
  const visit = (branch: Branch, value: unknown, path: string) => {
    for (const place of branch.here) add({ place, value, path, inMessage, ownMessage, order: place.order + distance })
    if (Array.isArray(value)) {
      const below = (value.length === 1 ? branch.listOnly : undefined) ?? branch.listFirst
      const element: unknown = value[0]
      if (below && element !== null && element !== undefined) visit(below, element, `${path}[0]`)
    } else if (branch.below && isRecord(value)) walk(value, branch.below, path)
  }
  const add = (hit: Hit) => {
    const { table } = hit.place
    if (found.has(table)) hits[table].push(hit)
    else hits[table] = [hit]
    found.add(table)
  }

  for (let node: PathNode | undefined = message; node; node = node.parent) {
    walk(node.object, inMessage ? tables.message : tables.around, node.path)
    inMessage = false
    if ((node.siblings ?? 1) > 1) ownMessage = false
    distance += PER_OBJECT
  }
  for (const table of found) hits[table].sort((a, b) => a.order - b.order)
  return hits
}
