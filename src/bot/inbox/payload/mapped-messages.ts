import { isRecord } from '../../../base/value.ts'
import { CONTENT_FACTS, type FactMapping, type JsonObject } from './facts.ts'
import { childOf, isolated, joinPath, listOf, locate, type Located, type PathNode, rootOf } from './locate.ts'
import {
  isListing,
  isOnWay,
  isWho,
  LISTING_FACTS,
  listsIn,
  type MappedFact,
  mappedFacts,
  memberOf,
  scalarOf,
  shownPath,
  type Steps,
  stepsOf,
  withList,
} from './mapping.ts'

/**
 * Locates the messages of a body whose facts the app maps: each element of a list that the mapping reads is one.
 * `unclear`: the path of a list whose messages are not clear.
 */
export function mappedMessages(
  body: JsonObject,
  event: string,
  mapping: FactMapping,
): { readonly messages: readonly Located[]; readonly isContentMapped: boolean } | { readonly unclear: string } {
  const listing = listingOf(mapping, body)
  const { nodes, unclear } = splitAtLists(body, listing)
  if (unclear) return { unclear }
  const { paths, byFunctions } = listing
  const all = [...paths.values(), byFunctions ? [byFunctions.list] : []].flat()
  const isMapped = byFunctions !== undefined || [...paths.keys()].some((name) => !isWho(name))
  const messages = nodes.flatMap((node) => {
    const found = locate(node, event)
    const list = found.length > 1 && found[0] ? listOf(found[0].node) : []
    // If the app's mapping finds messages elsewhere, this list is inside a message, such as a list of ordered things.
    const isInner = isMapped && !all.some((steps) => steps.length >= list.length && isOnWay(list, steps))
    return isInner ? locate(node, event, false) : found
  })
  const content = event === 'message.status' ? 'status' : 'text'
  return { messages, isContentMapped: byFunctions !== undefined || paths.has(content) }
}

// ── where the app's mapping expects messages ────────────────────────────────────────────────────────

interface Listing {
  readonly paths: ReadonlyMap<string, readonly Steps[]>
  readonly byFunctions?: ReadByFunctions | undefined
}

/**
 * Finds where the app's mapping expects messages: by its paths, else by its functions, which are tried on each list.
 * The function for `customer` is tried last, because it may choose among several people.
 */
function listingOf(mapping: FactMapping, body: JsonObject): Listing {
  const all = mappedFacts(mapping)
  const facts = all.filter(({ name }) => isListing(name))
  const paths = new Map(facts.flatMap(({ name, paths: own }) => (own.length > 0 ? [[name, own] as const] : [])))
  for (const name of ['text', 'status']) {
    const own = paths.get(name)
    if (own) paths.set(name, [...own, ...contentsBeside(mapping, own)])
  }
  if (paths.has('text') || paths.has('status')) return { paths }
  const functions = facts.filter(({ isFunction }) => isFunction)
  const more = all.filter(({ name, isFunction }) => isFunction && CONTENTS.has(name)).map(readText)
  const [who, what] = [true, false].map((is) => functions.filter(({ name }) => isWho(name) === is).map(readText))
  const byFunctions = readByFunctions(body, what ?? [], more) ?? readByFunctions(body, who ?? [], more)
  return { paths, byFunctions }
}

const CONTENTS: ReadonlySet<string> = new Set(CONTENT_FACTS.filter((fact) => fact !== 'text'))

/** The app's paths of other content, such as a file, that lead into the same list as the path of a text. */
function contentsBeside(mapping: FactMapping, texts: readonly Steps[]): readonly Steps[] {
  const paths = Object.entries(mapping).flatMap(([name, source]) =>
    CONTENTS.has(name.split('.')[0] ?? '') && typeof source !== 'function' ? [source].flat().map(stepsOf) : [],
  )
  return texts.flatMap((text) => {
    const list = text.slice(0, text.lastIndexOf('0') + 1)
    const inside = paths.filter((steps) => list.length > 0 && steps.length > list.length && isOnWay(steps, list))
    return inside.map((steps) => steps.slice(0, list.length + 1))
  })
}

function readText({ find: run }: MappedFact): ReadText {
  return (body) => {
    try {
      const value = run(body, { name: '', chain: [], shared: [], customer: undefined, leftOut() {} })?.value
      if (value instanceof Promise) return void value.catch(() => {})
      const text = typeof value === 'object' ? JSON.stringify(value) : scalarOf(value)
      return text?.trim() || undefined
    } catch {
      return undefined
    }
  }
}

// ── lists that functions read ───────────────────────────────────────────────────────────────────────

/** Returns the result of the app's function as a text; undefined if it finds nothing or throws. */
type ReadText = (body: JsonObject) => string | undefined

interface ReadByFunctions {
  /** Empty if the functions read no list. */
  readonly list: Steps
  /** True if the functions find something in the body of one element. */
  readonly reads: (body: JsonObject) => boolean
}

const MOST_TRIED = 100

/**
 * Finds the innermost list from which the app's functions read one element. They show it by what they return: another
 * text if the list is empty, and a text for several elements, each alone in the list. One of these texts equals the one
 * for the whole body. `more`: functions of other content.
 */
function readByFunctions(
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
      const nodes = elementsAt(rootOf(few), steps, { certain: 0, has })
      return nodes.length > 1 && nodes.some((node) => read(isolated(node)) === text)
    })
    if (through.length === 0) continue
    list = steps
    const all = [...through.map(({ read }) => read), ...more.filter((read) => read(without) !== read(body))]
    reads = (one) => all.some((read) => read(one) !== undefined)
  }
  return { list, reads }
}

// ── splitting a body at these lists ─────────────────────────────────────────────────────────────────

/** Splits a body at each list of messages. `[0]` in a path of the app's mapping marks such a list. */
function splitAtLists(body: JsonObject, { paths, byFunctions }: Listing) {
  let chain: Steps = byFunctions?.list ?? []
  let certain = 0
  const contents: Steps[] = []
  let identifies = byFunctions !== undefined
  // True if all messages have the same customer (`who`), or the same id (`id`).
  const isShared = { who: true, id: false }
  const others: Steps[] = []
  for (const name of LISTING_FACTS) {
    const isContent = name === 'text' || name === 'status'
    for (const { steps, own } of alternatives(body, paths.get(name), isContent)) {
      // A text that is itself an element does not split the body, nor does a customer in another list than the message.
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
  const has = (node: PathNode, at: number) =>
    contents.some((steps) => isOnWay(steps, chain.slice(0, at)) && listsOnWay(node.object, steps, at) !== undefined) ||
    byFunctions?.reads(isolated(node)) === true
  const nodes = elementsAt(rootOf(body), chain, { certain, has })
  const listsOf = (who: boolean) =>
    [...paths].flatMap(([name, all]) =>
      isWho(name) === who ? all.map((steps) => steps.slice(0, listsOnWay(body, steps))) : [],
    )
  // A second path of the same fact may lead to a second list of messages.
  const second = listsOf(false).map(shownPath)
  const unclear =
    listsOf(true).find((list) => !isOnWay(list, chain) && second.includes(shownPath(list))) ??
    (isShared.who && !isShared.id ? others[0] : undefined)
  return { nodes, unclear: unclear && shownPath(unclear.slice(0, -1)) }
}

/** Returns paths of a fact that lead to a value in some message. `own`: the path up to its last list. */
function alternatives(body: JsonObject, paths: readonly Steps[] = [], several: boolean) {
  const found: { readonly steps: Steps; readonly own: Steps }[] = []
  for (const steps of paths) {
    const lists = listsOnWay(body, steps)
    if (lists !== undefined) found.push({ steps, own: steps.slice(0, lists) })
    if (lists === 0 || (!several && lists !== undefined)) break
  }
  return found
}

/** Finds a list at these steps whose elements are lists. */
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

/** Returns the number of steps to the last list on the way to a value; undefined if no element has the value. */
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

interface Through {
  /** In lists within so many first steps, each element is a message: it has its own customer or id. */
  readonly certain: number
  /** True if the element, after `at` steps, has content. In later lists only such elements are messages. */
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
    isRecord(object) ? [{ object, path: `${path}[${index}]`, parent: node, member: key, index }] : [],
  )
  const read = isCertain ? elements : elements.filter((element) => through.has(element, at + 2))
  const siblings = read.length
  const found = read.flatMap((element) => elementsAt({ ...element, siblings }, chain, through, at + 2))
  return isCertain || found.length > 1 ? found : [node]
}
