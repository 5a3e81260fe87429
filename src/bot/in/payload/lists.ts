import { isRecord } from '../../../base/value.ts'
import type { JsonObject } from './json.ts'
import { childOf, joinPath, locate, type Located, type PathNode } from './locate.ts'
import { phoneOf } from './values.ts'

/** The members and places that lead to a value: `entry[0].from` as `entry`, `0`, `from`. */
export type Steps = readonly string[]

export function stepsOf(path: string): Steps {
  return path.split(/[.[\]]+/).filter((step) => step !== '')
}

/** A list is one of messages if one of these facts is read through it: which message it is, what it contains, whose it is. */
const LISTING_FACTS = ['messageId', 'upstreamId', 'text', 'status', 'customer', 'userId'] as const

export type ListingPaths = ReadonlyMap<string, readonly Steps[]>

/** The messages of a body, or a list that has their facts and cannot be split beside the others. */
export function messagesIn(body: JsonObject, event: string, paths: ListingPaths): readonly Located[] | string {
  const { nodes, unclear } = splitAtLists(body, paths)
  if (unclear) return unclear
  const all = [...paths.values()].flat()
  const isMapped = [...paths.keys()].some((name) => !isWho(name))
  return nodes.flatMap((node) => {
    const found = locate(node, event)
    const list = found.length > 1 && found[0] ? listOf(found[0].node) : []
    // The app says where the message is, so a list elsewhere is inside it, such as things ordered.
    const isInner = isMapped && !all.some((steps) => steps.length >= list.length && isOnWay(list, steps))
    return isInner ? locate(node, event, false) : found
  })
}

function isWho(name: string): boolean {
  return name === 'customer' || name === 'userId'
}

/** Splits a body at each list of messages. In a mapping `[0]` names such a list, whatever its name. */
function splitAtLists(body: JsonObject, paths: ListingPaths) {
  let chain: Steps = []
  let certain = 0
  let content: Steps = []
  let identifies = false
  for (const name of LISTING_FACTS) {
    const steps = paths.get(name)?.find((each) => listsOnWay(body, each) !== undefined)
    if (!steps) continue
    const own = steps.slice(0, listsOnWay(body, steps))
    const isContent = name === 'text' || name === 'status'
    if (isContent) content = steps
    // A text that is itself an element, and a customer of another list than the message, split nothing.
    const isElement = own.length > 0 && own.length === steps.length
    if (!isElement && isOnWay(own, chain) && !(isWho(name) && identifies && own.length > chain.length)) {
      if (own.length > chain.length) chain = own
      if (!isContent) certain = Math.max(certain, own.length)
    }
    identifies ||= !isWho(name)
  }
  const nodes = elementsAt({ object: body, path: '', key: '' }, chain, { certain, content })
  const listsOf = (who: boolean) =>
    [...paths].flatMap(([name, all]) =>
      isWho(name) === who ? all.map((steps) => steps.slice(0, listsOnWay(body, steps))) : [],
    )
  // Other paths of the same facts may lead to a second list of messages.
  const second = listsOf(false).map(shownPath)
  const unclear = listsOf(true).find((list) => !isOnWay(list, chain) && second.includes(shownPath(list)))
  return { nodes, unclear: unclear && shownPath(unclear.slice(0, -1)) }
}

/** The steps to the innermost list, of at least so many elements, that a message is in; empty if it is in none. */
export function listOf(node: PathNode, least = 1): Steps {
  const steps: string[] = []
  for (let each: PathNode | undefined = node; each?.parent; each = each.parent) {
    if (each.index !== undefined && (steps.length > 0 || (each.siblings ?? 1) >= least)) steps.unshift(each.key, '0')
    else if (steps.length > 0) steps.unshift(each.key)
  }
  return steps
}

/** True if one leads to the other. */
function isOnWay(a: Steps, b: Steps): boolean {
  return a.every((step, i) => i >= b.length || step === b[i])
}

/** How many steps lead to the last list on the way to a value, in any element; undefined if none has the value. */
function listsOnWay(value: unknown, steps: Steps, at = 0): number | undefined {
  const step = steps[at]
  if (step === undefined) return value === undefined || value === null ? undefined : 0
  if (!Array.isArray(value) || step !== '0') {
    const member = memberOf(value, step)
    return member === undefined ? undefined : listsOnWay(member, steps, at + 1)
  }
  for (const element of value as readonly unknown[]) {
    const below = listsOnWay(element, steps, at + 1)
    if (below !== undefined) return Math.max(below, at + 1)
  }
  return undefined
}

function memberOf(value: unknown, step: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, step)
    ? (value as JsonObject)[step]
    : undefined
}

interface Through {
  /** That many steps lead through lists whose elements have a customer or an id: each element is a message. */
  readonly certain: number
  /** Behind them, an element is a message only if it has this, and another one too. */
  readonly content: Steps
}

function elementsAt(node: PathNode, chain: Steps, through: Through, at = 0): readonly PathNode[] {
  const key = chain[at]
  const value = key === undefined ? undefined : memberOf(node.object, key)
  if (key === undefined || typeof value !== 'object' || value === null) return [node]
  if (isRecord(value)) return elementsAt(childOf(node, key, value), chain, through, at + 1)
  if (chain[at + 1] !== '0') return [node]
  const list = value as readonly unknown[]
  const isCertain = at + 2 <= through.certain
  const read = (element: unknown) =>
    isRecord(element) && (isCertain || listsOnWay(element, through.content, at + 2) !== undefined)
  const siblings = list.filter(read).length
  const found = list.flatMap((object, index) => {
    if (!isRecord(object) || !read(object)) return []
    const path = `${joinPath(node.path, key)}[${index}]`
    return elementsAt({ object, path, parent: node, key, index, siblings }, chain, through, at + 2)
  })
  return isCertain || found.length > 1 ? found : [node]
}

// ── facts in other lists ────────────────────────────────────────────────────────────────────────────

export interface Reach {
  /** Of the fact. */
  readonly name: string
  /** The steps to the message's own list. */
  readonly chain: Steps
  /** Those to a list with other messages, whose ids cannot be read before it. */
  readonly shared: Steps
  readonly customer: string | undefined
  /** Called for each list of which no element is known to be this message's. */
  readonly left: (path: string) => void
}

/**
 * Follows a path in the body of one message. Another list than the message's, with several elements, belongs to several
 * messages: the element with the customer's number counts. A list inside the message is its own, but one of several
 * customers or texts is not.
 */
export function follow(body: JsonObject, steps: Steps, { name, chain, customer, left }: Reach): unknown {
  let value: unknown = body
  for (const [at, step] of steps.entries()) {
    const mayBeOthers = isWho(name) || (isListing(name) && at === steps.length - 1)
    const isOwn = !mayBeOthers && (chain.length === 0 || isInside(steps.slice(0, at), chain))
    if (!Array.isArray(value) || step !== '0' || value.length < 2 || (isOwn && chain.length > 0)) {
      value = memberOf(value, step)
      continue
    }
    const mine = customer === undefined ? undefined : byNumber(value).get(customer)
    if (mine === undefined && !isOwn) {
      left(shownPath(steps.slice(0, at)))
      return undefined
    }
    value = mine ?? (value as readonly unknown[])[0]
  }
  return value
}

export function isListing(name: string): boolean {
  return (LISTING_FACTS as readonly string[]).includes(name)
}

function isInside(list: Steps, chain: Steps): boolean {
  return list.length >= chain.length && isOnWay(list, chain)
}

const numbers = new WeakMap<readonly unknown[], ReadonlyMap<string, unknown>>()

function byNumber(list: readonly unknown[]): ReadonlyMap<string, unknown> {
  const known = numbers.get(list)
  if (known) return known
  const found = new Map<string, unknown>()
  for (const element of list)
    for (const value of leavesOf(element, 2)) {
      const digits = phoneOf(value)
      if (digits !== undefined && !found.has(digits)) found.set(digits, element)
    }
  numbers.set(list, found)
  return found
}

function leavesOf(value: unknown, depth: number): unknown[] {
  if (!isRecord(value)) return [value]
  return depth < 0 ? [] : Object.values(value).flatMap((member) => leavesOf(member, depth - 1))
}

export function isBefore(steps: Steps, list: Steps): boolean {
  return steps.length < list.length || !isOnWay(list, steps)
}

export function shownPath(steps: Steps): string {
  return steps.reduce((path, step) => (step === '0' ? `${path}[0]` : joinPath(path, step)), '')
}

const MOST_SEARCHED = 10_000

/** The steps to a value's place in a body, in no list if possible; empty if it is not there. */
export function placeOf(body: JsonObject, wanted: unknown): Steps {
  if (typeof wanted !== 'string' && typeof wanted !== 'number') return []
  let inList: Steps = []
  const queue: [value: unknown, steps: Steps][] = [[body, []]]
  for (const [value, steps] of queue) {
    if (isRecord(value) || Array.isArray(value)) {
      const isList = Array.isArray(value)
      for (const [key, member] of Object.entries(value)) {
        if (queue.length > MOST_SEARCHED) break
        queue.push([member, [...steps, isList ? '0' : key]])
      }
    } else if (value === wanted || String(value) === String(wanted)) {
      if (!steps.includes('0')) return steps
      if (inList.length === 0) inList = steps
    }
  }
  return inList
}
