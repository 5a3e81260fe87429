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

/** Where the app says that messages are. */
export interface Listing {
  /** By fact. */
  readonly paths: ReadonlyMap<string, readonly Steps[]>
  readonly byFunctions?: ReadByFunctions | undefined
}

/** The messages of a body, or a list that has their facts and cannot be split beside the others. */
export function messagesIn(body: JsonObject, event: string, listing: Listing): readonly Located[] | string {
  const { nodes, unclear } = splitAtLists(body, listing)
  if (unclear) return unclear
  const { paths, byFunctions } = listing
  const all = [...paths.values(), byFunctions ? [byFunctions.list] : []].flat()
  const isMapped = byFunctions !== undefined || [...paths.keys()].some((name) => !isWho(name))
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
function splitAtLists(body: JsonObject, { paths, byFunctions }: Listing) {
  let chain: Steps = byFunctions?.list ?? []
  let certain = 0
  const contents: Steps[] = []
  let identifies = byFunctions !== undefined
  // One customer or one id for all that a delivery has.
  const isShared = { who: true, id: false }
  const others: Steps[] = []
  for (const name of LISTING_FACTS) {
    const isContent = name === 'text' || name === 'status'
    for (const { steps, own } of alternatives(body, paths.get(name), isContent)) {
      // A text that is itself an element, and a customer of another list than the message, split nothing.
      const isElement = own.length > 0 && own.length === steps.length
      if (isContent) contents.push(steps)
      if (isContent && !isOnWay(own, chain)) others.push(own)
      else if (!isElement && isOnWay(own, chain) && !(isWho(name) && identifies && own.length > chain.length)) {
        if (own.length > chain.length) chain = own
        if (!isContent) certain = Math.max(certain, own.length)
      }
      if (isWho(name)) isShared.who &&= own.length === 0
      else if (!isContent) isShared.id ||= own.length === 0
      identifies ||= !isWho(name)
    }
  }
  const lists = listOfLists(body, chain)
  if (lists && lists.elements > 1) return { nodes: [], unclear: shownPath(lists.steps) }
  if (lists) chain = chain.slice(0, lists.steps.length - 1)
  const root: PathNode = { object: body, path: '', key: '' }
  const has = (node: PathNode, at: number) =>
    contents.some((steps) => isOnWay(steps, chain.slice(0, at)) && listsOnWay(node.object, steps, at) !== undefined) ||
    byFunctions?.reads(isolated(node)) === true
  const nodes = elementsAt(root, chain, { certain, has })
  const listsOf = (who: boolean) =>
    [...paths].flatMap(([name, all]) =>
      isWho(name) === who ? all.map((steps) => steps.slice(0, listsOnWay(body, steps))) : [],
    )
  // Other paths of the same facts may lead to a second list of messages.
  const second = listsOf(false).map(shownPath)
  const unclear =
    listsOf(true).find((list) => !isOnWay(list, chain) && second.includes(shownPath(list))) ??
    (isShared.who && !isShared.id ? others[0] : undefined)
  return { nodes, unclear: unclear && shownPath(unclear.slice(0, -1)) }
}

/**
 * The paths of a fact that have a value in some message, with the lists on their way: one in no list has it in all. Of
 * several customers the first counts.
 */
function alternatives(body: JsonObject, paths: readonly Steps[] = [], several: boolean) {
  const found: { readonly steps: Steps; readonly own: Steps }[] = []
  for (const steps of paths) {
    const lists = listsOnWay(body, steps)
    if (lists !== undefined) found.push({ steps, own: steps.slice(0, lists) })
    if (lists === 0 || (!several && lists !== undefined)) break
  }
  return found
}

/** A list on the way whose elements are lists. */
function listOfLists(
  value: unknown,
  chain: Steps,
  at = 0,
): { readonly steps: Steps; readonly elements: number } | undefined {
  const step = chain[at]
  if (step === undefined) return undefined
  if (!Array.isArray(value) || step !== '0') return listOfLists(memberOf(value, step), chain, at + 1)
  if (value.some(Array.isArray)) return { steps: chain.slice(0, at), elements: value.flat().length }
  const found = value.flatMap((element) => listOfLists(element, chain, at + 1) ?? [])
  return found.find(({ elements }) => elements > 1) ?? found[0]
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
  /** Behind them, an element is a message only if it has content, and another one too. `at`: so many steps lead to it. */
  readonly has: (element: PathNode, at: number) => boolean
}

function elementsAt(node: PathNode, chain: Steps, through: Through, at = 0): readonly PathNode[] {
  const key = chain[at]
  const value = key === undefined ? undefined : memberOf(node.object, key)
  if (key === undefined || typeof value !== 'object' || value === null) return [node]
  if (isRecord(value)) return elementsAt(childOf(node, key, value), chain, through, at + 1)
  if (chain[at + 1] !== '0') return [node]
  const isCertain = at + 2 <= through.certain
  const path = joinPath(node.path, key)
  const elements = (value as readonly unknown[]).flatMap((object, index): PathNode[] =>
    isRecord(object) ? [{ object, path: `${path}[${index}]`, parent: node, key, index }] : [],
  )
  const read = isCertain ? elements : elements.filter((element) => through.has(element, at + 2))
  const siblings = read.length
  const found = read.flatMap((element) => elementsAt({ ...element, siblings }, chain, through, at + 2))
  return isCertain || found.length > 1 ? found : [node]
}

/** The body as if a message of a batch had arrived alone: each list on the way to it has only this element. */
export function isolated(node: PathNode): JsonObject {
  let json: JsonObject = node.object
  // A computed member never sets a prototype, whatever its name.
  for (let child: PathNode = node; child.parent; child = child.parent)
    json = { ...child.parent.object, [child.key]: child.index === undefined ? json : [json] }
  return json
}

// ── lists that functions read ───────────────────────────────────────────────────────────────────────

/** What a function of the app finds in a body, as a text; undefined if it finds nothing or throws. */
export type ReadText = (body: JsonObject) => string | undefined

export interface ReadByFunctions {
  /** Empty if they read none. */
  readonly list: Steps
  /** True if they find something in the body of one element. */
  readonly reads: (body: JsonObject) => boolean
}

const MOST_LISTS = 16
const MOST_TRIED = 100

/**
 * The innermost list that a function reads at one element of several: without the list its result is another one, and
 * more than one element alone has a result, of which one is that of all. `more`: what else may be the content of an element.
 */
export function readByFunctions(
  body: JsonObject,
  reading: readonly ReadText[],
  more: readonly ReadText[],
): ReadByFunctions | undefined {
  const whole = reading.flatMap((read) => {
    const text = read(body)
    return text === undefined ? [] : [{ read, text }]
  })
  if (whole.length === 0) return undefined
  let list: Steps = []
  let reads: ReadByFunctions['reads'] = () => false
  for (const steps of listsIn(body)) {
    if (steps.length <= list.length) continue
    const without = withList(body, steps, () => [])
    const few = withList(body, steps, (all) => all.slice(0, MOST_TRIED))
    const through = whole.filter(({ read, text }) => {
      if (read(without) === text) return false
      const has = (element: PathNode) => read(isolated(element)) !== undefined
      const nodes = elementsAt({ object: few, path: '', key: '' }, steps, { certain: 0, has })
      return nodes.length > 1 && nodes.some((node) => read(isolated(node)) === text)
    })
    if (through.length === 0) continue
    list = steps
    const all = [...through.map(({ read }) => read), ...more.filter((read) => read(without) !== read(body))]
    reads = (one) => all.some((read) => read(one) !== undefined)
  }
  return { list, reads }
}

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

/** The body with another list in place of each that the steps lead to. */
function withList(
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

// ── facts in other lists ────────────────────────────────────────────────────────────────────────────

export interface Reach {
  /** Of the fact. */
  readonly name: string
  /** The steps to the message's own list. */
  readonly chain: Steps
  /** Those to a list with other messages, whose ids cannot be read before it. */
  readonly shared: Steps
  /** Of a delivery with several messages: the steps to all lists with several objects. */
  readonly lists: readonly Steps[]
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

/** A message's body for a function: of other lists whose elements have numbers, only the element with its customer's. */
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
