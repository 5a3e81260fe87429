import { isRecord } from '../../../base/value.ts'
import { contentOf } from '../../../service/message-kinds.ts'
import {
  COMPOSED,
  type FactMapping,
  type FactName,
  type Facts,
  type FactValues,
  isComposed,
  type JsonObject,
  type Reading,
} from './facts.ts'
import type { Form } from './fact-places.ts'
import { alarm, type Findings, guess, inferKind, isOurs, readChange, reading } from './guess.ts'
import { bodyOf, isolated, joinPath, listOf } from './locate.ts'
import {
  amountOf,
  echoOf,
  idOf,
  isMediaKind,
  isPlausible,
  kindOf,
  latitudeOf,
  longitudeOf,
  lostDigits,
  momentOf,
  phoneOf,
  statusOf,
  textOf,
  userIdOf,
  webAddressOf,
  wordsOf,
} from './values.ts'

/** Reads what the app maps, and guesses the other facts. The guess of a mapped fact raises no alarm. */
export function readMappedAndGuess(findings: Findings, lists: readonly Steps[]): Mapped {
  const mapped = readMapped(findings, lists)
  const names = new Set(Object.keys(findings.context.mapping ?? {}).map(factOf))
  const guessed: Findings = { ...findings, facts: {}, alarms: [] }
  guess(guessed, mapped.facts.status?.value)
  for (const { code, fact, path } of guessed.alarms) if (!names.has(factOf(fact))) alarm(findings, code, fact, path)
  const unmapped = Object.entries(guessed.facts).filter(([name]) => !names.has(name))
  Object.assign(findings.facts, Object.fromEntries(unmapped), completed(mapped.facts, guessed.facts))
  const change = names.has('kind') && findings.facts.kind?.path !== '()' ? readChange(findings) : undefined
  const kind = change ?? findings.facts.kind ?? inferKind(findings)
  if (kind) findings.facts.kind = kind
  return mapped
}

/** `media` for `media.durationMs`. */
function factOf(name: string | undefined): string {
  return name?.split('.')[0] ?? ''
}

/** Adds guessed members to a mapped file or option, if the guess is the same file or option. */
function completed(mapped: Facts, guessed: Facts): Facts {
  const { media, tapped, kind = guessed.kind } = mapped
  const file = guessed.media?.value.url === media?.value.url ? guessed.media?.value : undefined
  const ofKind = media?.value.kind === 'document' && kind && isMediaKind(kind.value) && { kind: kind.value }
  const option = guessed.tapped?.value.id === tapped?.value.id ? guessed.tapped?.value : undefined
  const title = tapped?.value.title ?? option?.title
  return {
    ...mapped,
    ...(media && { media: { ...media, value: { ...file, ...media.value, ...ofKind } } }),
    ...(tapped && { tapped: { ...tapped, value: { ...tapped.value, title } } }),
  }
}

/** Returns the content that the message's kind requires, if it is missing at the path that the app maps. */
export function missingContent({ context, facts }: Findings): ReturnType<typeof contentOf> {
  const fact = contentOf(facts.kind?.value)
  if (fact === undefined || facts[fact] || context.event !== 'message.received') return undefined
  const isMapped = mappedFacts(context.mapping ?? {}).some(({ name, isFunction }) => name === fact && !isFunction)
  return isMapped ? fact : undefined
}

/** Reads the facts that the app maps. If the mapping finds nothing, the fact is missing and is not guessed. */
function readMapped(findings: Findings, lists: readonly Steps[]) {
  const { node } = findings.message
  const [chain, shared] = [listOf(node), listOf(node, 2)]
  const body = chain.length > 0 ? isolated(node) : bodyOf(node)
  const facts: Record<string, Reading<unknown>> = {}
  const own: Record<string, Reading<unknown>> = Object.create(null)
  let missing: FactName | undefined
  let unclear: string | undefined
  const isMessage = findings.context.event.startsWith('message.')
  for (const mapped of mappedFacts(findings.context.mapping ?? {})) {
    const { name, path: source, isFunction } = mapped
    let leftOut: string | undefined
    const customer = facts['customer']?.value as string | undefined
    // Only in `message.*` events the customer decides which element of a list counts. In others the first one counts.
    const of = isMessage ? { name, customer } : { name: '', customer: undefined }
    const json = isFunction ? ofCustomer(body, { chain, lists, customer }) : body
    const found = findMapped(findings, mapped, json, { chain, shared, ...of, leftOut: (path) => (leftOut = path) })
    if (found === undefined) {
      if (leftOut !== undefined) {
        alarm(findings, 'fact_left_out', name, leftOut)
        if (isListing(name) && !name.endsWith('Id')) unclear ??= leftOut
        continue
      }
      if (OPTIONAL.includes(name)) continue
      alarm(findings, 'fact_missing', name, source)
      if (isFactName(name) && !isFunction) missing ??= name
    } else if (!isFactName(name)) {
      const value = isFunction ? asJson(found.value) : scalarOf(found.value)
      if (value === undefined) unreadable(findings, name, found)
      else own[name] = reading(value, found.path, true, 'mapped')
    } else Object.assign(facts, readFact(findings, name, found))
  }
  return { facts: facts as Facts, own: Object.keys(own).length > 0 ? own : undefined, missing, unclear }
}

type Mapped = ReturnType<typeof readMapped>

/** Facts that not every message has: a missing one raises no alarm. */
const OPTIONAL = wordsOf('userId upstreamId text tapped media location reaction name echo failureReason')

function isFactName(name: string): name is FactName {
  return Object.hasOwn(READERS, name)
}

// ── the compiled mapping ────────────────────────────────────────────────────────────────────────────

export interface MappedFact {
  readonly name: string
  /** The path as the app wrote it; `()` for a function. */
  readonly path: string
  readonly find: (json: JsonObject, reach: Reach) => Found | undefined
  readonly paths: readonly Steps[]
  readonly isFunction: boolean
}

interface Found {
  readonly value: unknown
  readonly path: string
}

const compiled = new WeakMap<FactMapping, readonly MappedFact[]>()

export function mappedFacts(mapping: FactMapping): readonly MappedFact[] {
  const known = compiled.get(mapping)
  if (known) return known
  const facts = new Map<string, MappedFact>()
  const members = new Map<string, Map<string, MappedFact>>()
  for (const [name, source] of Object.entries(mapping)) {
    const mapped = typeof source === 'function' ? byFunction(name, source) : byPaths(name, [source].flat())
    const [fact = '', member] = name.split('.')
    if (member === undefined || !isComposed(fact)) facts.set(name, mapped)
    else members.set(fact, (members.get(fact) ?? new Map<string, MappedFact>()).set(member, mapped))
  }
  for (const [fact, of] of members) if (!facts.has(fact)) facts.set(fact, byMembers(fact, of))
  // The customer comes first, because their phone number finds the elements of other lists.
  const list = [...facts.values()].sort((a, b) => Number(b.name === 'customer') - Number(a.name === 'customer'))
  compiled.set(mapping, list)
  return list
}

function byFunction(name: string, source: (json: unknown) => unknown): MappedFact {
  return { name, path: '()', find: (json) => foundAt('()', source(json)), paths: [], isFunction: true }
}

function byPaths(name: string, paths: readonly string[]): MappedFact {
  const split = paths.map((path) => ({ path, steps: stepsOf(path) }))
  const isId = name === 'messageId' || name === 'upstreamId'
  const find = (json: JsonObject, reach: Reach) => {
    for (const { path, steps } of split) {
      // An id around a batch names none of its messages.
      if (isId && isBefore(steps, reach.shared)) {
        reach.leftOut(path)
        continue
      }
      const found = foundAt(path, follow(json, steps, reach))
      if (found) return found
    }
    return undefined
  }
  return { name, path: paths.join(' or '), find, paths: split.map(({ steps }) => steps), isFunction: false }
}

function byMembers(name: string, members: ReadonlyMap<string, MappedFact>): MappedFact {
  const mapped = [...members]
  const find = (json: JsonObject, reach: Reach) => {
    const found = mapped.flatMap(([member, of]) => {
      const one = of.find(json, reach)
      return one ? [[member, one] as const] : []
    })
    const main = found.find(([member]) => member === 'id' || member === 'url') ?? found[0]
    const value = Object.fromEntries(found.map(([member, one]) => [member, one.value]))
    return main && { value, path: main[1].path }
  }
  const path = mapped.map(([, of]) => of.path).join(' or ')
  return { name, path, find, paths: [], isFunction: mapped.some(([, of]) => of.isFunction) }
}

function foundAt(path: string, value: unknown): Found | undefined {
  return value === undefined || value === null ? undefined : { value, path }
}

function findMapped(findings: Findings, mapped: MappedFact, body: JsonObject, reach: Reach): Found | undefined {
  try {
    const found = mapped.find(body, reach)
    if (!(found?.value instanceof Promise)) return found
    found.value.catch(() => {})
    throw new TypeError('a function of the option facts must not be async')
  } catch {
    // A function of the app that throws must not lose the delivery.
    alarm(findings, 'fact_unreadable', mapped.name, mapped.path)
    return undefined
  }
}

// ── reading what was found ──────────────────────────────────────────────────────────────────────────

const reactionOf = membersOf<FactValues['reaction']>({ emoji: idOf, to: idOf }, { emoji: textOf }, [])

/** The forms of mapped facts. They accept more names and ids than those of a guess. */
const READERS: { readonly [F in FactName]: Form<FactValues[F]> } = {
  customer: phoneOf,
  userId: idOf,
  numberId: idOf,
  messageId: idOf,
  upstreamId: idOf,
  kind: kindOf,
  text: textOf,
  tapped: membersOf<FactValues['tapped']>({ id: idOf, title: textOf }, { id: idOf }, ['id']),
  media: membersOf<FactValues['media']>(
    {
      kind: (value, words) => kindOf(value, words) ?? 'document',
      url: webAddressOf,
      mime: stringOf,
      filename: stringOf,
      caption: stringOf,
      durationMs: amountOf,
    },
    { kind: () => 'document', url: webAddressOf },
    ['url'],
  ),
  location: membersOf({ latitude: latitudeOf, longitude: longitudeOf, name: idOf, address: idOf }, {}, [
    'latitude',
    'longitude',
  ]),
  // Without an emoji the customer removed the reaction.
  reaction: (value) => reactionOf(value) ?? (isRecord(value) ? {} : undefined),
  name: textOf,
  echo: echoOf,
  at: (value) => momentOf(value)?.ms,
  status: statusOf,
  failureReason: textOf,
  template: membersOf(Object.fromEntries(COMPOSED.template.map((member) => [member, idOf])), { name: textOf }, []),
}

/** Reads a fact with several members. `alone`: the member that a bare value stands for. */
function membersOf<T extends object>(members: Members<T>, alone: Members<T>, required: readonly (keyof T)[]): Form<T> {
  return (value, words) => {
    const object = isRecord(value) ? value : undefined
    const found = Object.entries<Form>((object ? members : alone) as Record<string, Form>).flatMap(([name, form]) => {
      const read = form(object ? object[name] : value, words)
      return read === undefined ? [] : [[name, read] as const]
    })
    const all = Object.fromEntries(found) as T
    return found.length > 0 && required.every((name) => name in all) ? all : undefined
  }
}

type Members<T> = { readonly [M in keyof T]?: Form<T[M]> }

function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** The names of the built-in facts. In a mapping, any other name is a fact of the app's own. */
export const FACT_NAMES: readonly string[] = Object.keys(READERS)

function readFact(findings: Findings, name: FactName, found: Found): Facts {
  const { path } = found
  if (name === 'customer' && userIdOf(found.value) !== undefined)
    return { userId: reading(String(found.value), path, true, 'mapped') }
  const value = READERS[name](found.value, findings.context.words)
  if (value === undefined) return unreadable(findings, name, found)
  if (name === 'customer' && isOurs(findings, value as string)) {
    alarm(findings, 'fact_conflict', name, path)
    return {}
  }
  return { [name]: reading(value, path, name !== 'at' || isTimePlausible(findings, found), 'mapped') }
}

function isTimePlausible(findings: Findings, { value, path }: Found): boolean {
  const moment = momentOf(value)
  if (!moment) return false
  const plausible = isPlausible(moment.ms, findings.context.now)
  if (!plausible || !moment.zoned) alarm(findings, 'fact_assumed', 'at', path)
  return plausible
}

function unreadable(findings: Findings, name: string, { value, path }: Found): Facts {
  alarm(findings, lostDigits(value) ? 'unsafe_number' : 'fact_unreadable', name, path)
  return {}
}

export function scalarOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value === 'boolean') return String(value)
  return typeof value === 'number' && !lostDigits(value) ? String(value) : undefined
}

/** Turns a function's result into its stored form: JSON, which has no NaN. */
function asJson(found: unknown): unknown {
  try {
    const json = JSON.stringify(found)
    return json === undefined || json === 'null' ? undefined : (JSON.parse(json) as unknown)
  } catch {
    return undefined
  }
}

// ── following a path ────────────────────────────────────────────────────────────────────────────────

interface Reach {
  readonly name: string
  /** The steps to the innermost list that contains the message. */
  readonly chain: Steps
  /** The steps to the innermost list that also has other messages. An id outside this list names none of them. */
  readonly shared: Steps
  readonly customer: string | undefined
  /** Called with the path of a list if it is not known which of its elements belongs to the message. */
  readonly leftOut: (path: string) => void
}

/**
 * Follows a path in the body of one message. Of a list with several elements outside the message, the element with the
 * customer's phone number counts. Of a list inside the message the first element counts, unless it has several
 * customers or texts.
 */
function follow(body: JsonObject, steps: Steps, { name, chain, customer, leftOut }: Reach): unknown {
  let value: unknown = body
  for (const [at, step] of steps.entries()) {
    const mayBeOthers = isWho(name) || (isListing(name) && at === steps.length - 1)
    const isOwn = !mayBeOthers && (chain.length === 0 || isInside(steps.slice(0, at), chain))
    if (!Array.isArray(value) || step !== '0' || value.length < 2 || (isOwn && chain.length > 0)) {
      value = memberOf(value, step)
      continue
    }
    const mine = customer === undefined ? undefined : byCustomer(value).get(customer)
    if (mine === undefined && !isOwn) {
      leftOut(shownPath(steps.slice(0, at)))
      return undefined
    }
    value = mine ?? (value as readonly unknown[])[0]
  }
  return value
}

/** A message's body for a function. Of a list outside the message only the customer's element stays. */
function ofCustomer(
  body: JsonObject,
  { chain, customer, lists }: Pick<Reach, 'chain' | 'customer'> & { readonly lists: readonly Steps[] },
): JsonObject {
  if (customer === undefined) return body
  const mine = (list: readonly unknown[]) => {
    const one = byCustomer(list).get(customer)
    return one === undefined ? list : [one]
  }
  return lists.filter((list) => !isInside(list, chain)).reduce((json, list) => withList(json, list, mine), body)
}

function isInside(list: Steps, chain: Steps): boolean {
  return list.length >= chain.length && isOnWay(list, chain)
}

function isBefore(steps: Steps, list: Steps): boolean {
  return steps.length < list.length || !isOnWay(list, steps)
}

const elementsByCustomer = new WeakMap<readonly unknown[], ReadonlyMap<string, unknown>>()

function byCustomer(list: readonly unknown[]): ReadonlyMap<string, unknown> {
  const known = elementsByCustomer.get(list)
  if (known) return known
  const found = new Map<string, unknown>()
  for (const element of list)
    for (const value of leavesOf(element, 2)) {
      const digits = phoneOf(value)
      if (digits !== undefined && !found.has(digits)) found.set(digits, element)
    }
  elementsByCustomer.set(list, found)
  return found
}

function leavesOf(value: unknown, depth: number): unknown[] {
  if (!isRecord(value)) return [value]
  return depth < 0 ? [] : Object.values(value).flatMap((member) => leavesOf(member, depth - 1))
}

// ── steps ───────────────────────────────────────────────────────────────────────────────────────────

/** The members and places that lead to a value: `entry[0].from` as `entry`, `0`, `from`. */
export type Steps = readonly string[]

export function stepsOf(path: string): Steps {
  return path.split(/[.[\]]+/).filter((step) => step !== '')
}

export function shownPath(steps: Steps): string {
  return steps.reduce((path, step) => (step === '0' ? `${path}[0]` : joinPath(path, step)), '')
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

/** A list through which one of these facts is read is a list of messages. */
export const LISTING_FACTS = [
  'messageId',
  'upstreamId',
  'text',
  'status',
  'customer',
  'userId',
] as const satisfies FactName[]

export function isListing(name: string): boolean {
  return (LISTING_FACTS as readonly string[]).includes(name)
}

export function isWho(name: string): boolean {
  return name === 'customer' || name === 'userId'
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

/** Returns a copy of the body in which each list at the steps is replaced by `change(list)`. */
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
