import { isRecord } from '../../../base/value.ts'
import type { JsonObject } from './json.ts'
import { joinPath, type Located, type PathNode } from './locate.ts'
import { Names, wordsOf } from './values.ts'

/**
 * How far a path can be trusted. `first`: a fact found here is sure. `next`: read after the first choices, and
 * compared with them. `last`: may contain something else, such as another id or our own number; read only if nothing
 * better is found, and never compared.
 */
type Choice = 'first' | 'next' | 'last'

const WHO = ['customer', 'name', 'userId', 'ours', 'numberId', 'direction'] as const
const MESSAGE = ['messageId', 'upstreamId', 'at', 'kind', 'text', 'status', 'failureReason', 'eventName'] as const
const TAP = ['interactive', 'option', 'optionId', 'optionTitle', 'quickReply', 'quickReplyTitle'] as const
const MEDIA = ['mediaUrl', 'mediaMime', 'mediaFilename', 'mediaCaption', 'milliseconds', 'seconds', 'unitless'] as const
const SIGNAL = ['reaction', 'reactionTo', 'edited', 'deleted', 'echo'] as const
const PLACE = ['location', 'latitude', 'longitude', 'placeName', 'placeAddress'] as const
const TEMPLATE = ['templateId', 'templateName', 'templateLanguage', 'templateReason', 'category'] as const
const TEMPLATE_STATUS = ['templateStatus', 'previousStatus'] as const

const ROLES = [...WHO, ...MESSAGE, ...TAP, ...MEDIA, ...SIGNAL, ...PLACE, ...TEMPLATE, ...TEMPLATE_STATUS] as const

type Role = (typeof ROLES)[number]

export interface Candidate {
  readonly role: Role
  /** In plain spelling, for instance `customer.phone` or `errors[0].message`. */
  readonly path: string
  readonly choice: Choice
  readonly rank: number
}

type ChosenPaths = readonly (readonly [choice: Choice, path: string])[]

export type Table = { readonly [R in Role]?: ChosenPaths }

export interface Tables {
  readonly message: Names<Branch>
  readonly above: Names<Branch>
}

/** Makes a table's paths from paths separated by spaces. `customer.{phone,number}` is short for two paths. */
export const first = (paths: string): ChosenPaths => chosenPaths('first', paths)
export const next = (paths: string): ChosenPaths => chosenPaths('next', paths)
export const last = (paths: string): ChosenPaths => chosenPaths('last', paths)

function chosenPaths(choice: Choice, paths: string): ChosenPaths {
  return wordsOf(paths)
    .flatMap(expandBraces)
    .map((path) => [choice, path] as const)
}

function expandBraces(path: string): string[] {
  const braces = /^(.*?)\{([^}]*)\}(.*)$/.exec(path)
  if (!braces) return [path]
  const [, before = '', inside = '', after = ''] = braces
  return inside.split(',').flatMap((each) => expandBraces(before + each + after))
}

/** Candidates by the members that lead to them, so that one pass over an object's members finds all of them. */
interface Branch {
  readonly here: Candidate[]
  below?: Names<Branch>
  listFirst?: Branch
  listOnly?: Branch
}

export function compile(table: Table): Names<Branch> {
  const root: Branch = { here: [] }
  for (const role of ROLES)
    for (const [rank, [choice, path]] of (table[role] ?? []).entries())
      branchAt(root, path).here.push({ role, path, choice, rank: choice === 'last' ? rank + LAST_RANK : rank })
  return root.below ?? new Names()
}

/** Candidates of the last choice rank from here: after all others, however near those are to the message. */
const LAST_RANK = 10_000

function branchAt(root: Branch, path: string): Branch {
  let branch = root
  for (const step of path.split(/\.|(?=\[)/)) {
    if (step === '[0]') branch = branch.listFirst ??= { here: [] }
    else if (step === '[only]') branch = branch.listOnly ??= { here: [] }
    else {
      const below: Names<Branch> = (branch.below ??= new Names())
      const child = below.get(step) ?? { here: [] }
      below.set(step, child)
      branch = child
    }
  }
  return branch
}

/** A candidate's path with a value. The value is never null or the empty string. */
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

/** Collects all values at the paths of the tables: in the message object, then around it, nearest first. */
export function collect({ node: message }: Located, tables: Tables): Hits {
  const collector = new Collector()
  let ownMessage = true
  for (let node: PathNode | undefined = message; node; node = node.parent) {
    collector.enter(node === message, ownMessage)
    collector.walk(node.object, node === message ? tables.message : tables.above, node.path)
    if ((node.siblings ?? 1) > 1) ownMessage = false
  }
  for (const role of collector.found) collector.hits[role].sort((a, b) => a.order - b.order)
  return collector.hits
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
