import { isRecord } from '../../../base/value.ts'
import type { FactName } from './facts.ts'
import type { JsonObject } from './json.ts'
import { joinPath, type PathNode } from './locate.ts'
import { phoneOf } from './values.ts'

/** The members and places that lead to a value: `entry[0].from` as `entry`, `0`, `from`. */
export type Steps = readonly string[]

export function stepsOf(path: string): Steps {
  return path.split(/[.[\]]+/).filter((step) => step !== '')
}

/** A list through which one of these facts is read is a list of messages. */
export const LISTING_FACTS = [
  'messageId',
  'upstreamId',
  'text',
  'status',
  'customer',
  'userId',
] as const satisfies FactName[]

export function isWho(name: string): boolean {
  return name === 'customer' || name === 'userId'
}

/** Returns the steps to the innermost list around a message that has at least so many elements; empty without one. */
export function listOf(node: PathNode, least = 1): Steps {
  const steps: string[] = []
  for (let each: PathNode | undefined = node; each?.parent; each = each.parent) {
    if (each.index !== undefined && (steps.length > 0 || (each.siblings ?? 1) >= least)) steps.unshift(each.key, '0')
    else if (steps.length > 0) steps.unshift(each.key)
  }
  return steps
}

/** True if one of the paths begins with the other. */
export function isOnWay(a: Steps, b: Steps): boolean {
  return a.every((step, i) => i >= b.length || step === b[i])
}

export function memberOf(value: unknown, step: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, step)
    ? (value as JsonObject)[step]
    : undefined
}

/** Returns the body as if one message of a batch had arrived alone: each list around it has one element. */
export function isolated(node: PathNode): JsonObject {
  let json: JsonObject = node.object
  // A computed member never sets a prototype, whatever its name.
  for (let child: PathNode = node; child.parent; child = child.parent)
    json = { ...child.parent.object, [child.key]: child.index === undefined ? json : [json] }
  return json
}

const MOST_LISTS = 16
const MOST_SEARCHED = 10_000

/** The steps to each list with several objects. */
export function listsIn(body: JsonObject): readonly Steps[] {
  const found = new Map<string, Steps>()
  const queue: [value: unknown, steps: Steps][] = [[body, []]]
  for (const [value, steps] of queue) {
    const isList = Array.isArray(value)
    if (isList && value.filter(isRecord).length > 1) found.set(shownPath([...steps, '0']), [...steps, '0'])
    if (found.size >= MOST_LISTS) break
    if (typeof value !== 'object' || value === null) continue
    for (const [key, member] of Object.entries(value)) {
      if (queue.length > MOST_SEARCHED) break
      if (typeof member === 'object') queue.push([member, [...steps, isList ? '0' : key]])
    }
  }
  return [...found.values()]
}

/** Returns the body with each list at the steps changed. */
export function withList(
  body: JsonObject,
  steps: Steps,
  change: (list: readonly unknown[]) => readonly unknown[],
): JsonObject {
  const at = (value: unknown, depth: number): unknown => {
    if (Array.isArray(value))
      return depth === steps.length - 1 ? change(value) : value.map((element) => at(element, depth + 1))
    const step = steps[depth]
    const member = step === undefined ? undefined : memberOf(value, step)
    return step === undefined || member === undefined
      ? value
      : { ...(value as JsonObject), [step]: at(member, depth + 1) }
  }
  return at(body, 0) as JsonObject
}

export interface Reach {
  readonly name: string
  /** The steps to the message's own list. */
  readonly chain: Steps
  /** The steps to a list with other messages too. An id in front of it names none of them. */
  readonly shared: Steps
  /** The steps to all lists with several objects, for a delivery with several messages. */
  readonly lists: readonly Steps[]
  readonly customer: string | undefined
  /** Called for a list of which it is not known which element is this message's. */
  readonly left: (path: string) => void
}

/**
 * Follows a path in the body of one message. Of a list with several elements outside the message, the element with the
 * customer's number counts. Of a list inside the message the first element counts, unless it has several customers or
 * texts.
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

/** A message's body for a function. Lists outside the message have only the element with the customer's number. */
export function ofCustomer(body: JsonObject, { chain, lists, customer }: Pick<Reach, 'chain' | 'lists' | 'customer'>) {
  if (customer === undefined) return body
  const mine = (list: readonly unknown[]) => {
    const one = byNumber(list).get(customer)
    return one === undefined ? list : [one]
  }
  return lists.filter((list) => !isInside(list, chain)).reduce((json, list) => withList(json, list, mine), body)
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
