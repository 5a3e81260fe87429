import { isRecord } from '../../../base/value.ts'
import {
  COMPOSED,
  type FactMapping,
  type FactName,
  type Facts,
  type FactValues,
  isComposed,
  type Reading,
  type View,
} from './facts.ts'
import { ourNumbers } from './guess.ts'
import { follow, isBefore, isListing, ofCustomer, type Reach, type Steps, stepsOf } from './steps.ts'
import type { JsonObject } from './json.ts'
import { alarm, type Findings, reading } from './findings.ts'
import type { Form } from './tables.ts'
import { echoOf, kindOf, statusOf } from './words.ts'
import {
  amountOf,
  idOf,
  isPlausible,
  latitudeOf,
  longitudeOf,
  lostDigits,
  momentOf,
  phoneOf,
  textOf,
  userIdOf,
  webAddressOf,
  wordsOf,
} from './values.ts'

/** Reads the facts that the app maps. If the mapping finds nothing, the fact is missing. */
export function readMapped(
  findings: Findings,
  body: JsonObject,
  lists: Pick<Reach, 'chain' | 'shared' | 'lists'>,
): Mapped {
  const facts: Record<string, Reading<unknown>> = {}
  const own: Record<string, Reading<unknown>> = Object.create(null)
  let lost: FactName | undefined
  let unclear: string | undefined
  const isMessage = findings.context.event.startsWith('message.')
  for (const mapped of mappedFacts(findings.context.mapping ?? {})) {
    const { name, path: source, isFunction } = mapped
    let left: string | undefined
    const customer = facts['customer']?.value as string | undefined
    // Of the lists in another event the first element counts.
    const of = isMessage ? { name, customer } : { name: '', customer: undefined }
    const json = isFunction ? ofCustomer(body, { ...lists, customer }) : body
    const found = find(findings, mapped, json, { ...lists, ...of, left: (path) => (left = path) })
    if (found === undefined) {
      if (left !== undefined) {
        alarm(findings, 'fact_left_out', name, left)
        if (isListing(name) && !name.endsWith('Id')) unclear ??= left
        continue
      }
      if (OPTIONAL.includes(name)) continue
      alarm(findings, 'fact_missing', name, source)
      if (isFactName(name) && !isFunction) lost ??= name
    } else if (!isFactName(name)) {
      const value = isFunction ? asJson(found.value) : scalarOf(found.value)
      if (value === undefined) unreadable(findings, name, found)
      else own[name] = reading(value, found.path, true, 'mapped')
    } else Object.assign(facts, readFact(findings, name, found))
  }
  return { facts, ...(Object.keys(own).length > 0 && { own }), ...(lost && { lost }), ...(unclear && { unclear }) }
}

interface Mapped extends Pick<View, 'facts' | 'own' | 'unclear'> {
  readonly lost?: FactName
}

/** Not every message has these facts. */
const OPTIONAL = wordsOf('userId upstreamId text tapped media location reaction name echo failureReason')

function isFactName(name: string): name is FactName {
  return Object.hasOwn(READERS, name)
}

// ── looking up ──────────────────────────────────────────────────────────────────────────────────────

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
  // The customer comes first, because their number finds the elements of other lists.
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
        reach.left(path)
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

function find(findings: Findings, mapped: MappedFact, body: JsonObject, reach: Reach): Found | undefined {
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

/** Every other name is the app's own. */
export const FACT_NAMES: readonly string[] = Object.keys(READERS)

function readFact(findings: Findings, name: FactName, found: Found): Facts {
  const { path } = found
  if (name === 'customer' && userIdOf(found.value) !== undefined)
    return { userId: reading(String(found.value), path, true, 'mapped') }
  const value = READERS[name](found.value, findings.context.words)
  if (value === undefined) return unreadable(findings, name, found)
  if (name === 'customer' && ourNumbers(findings).includes(value as string)) {
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
