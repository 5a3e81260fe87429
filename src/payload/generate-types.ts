import { memberName } from '../base/member-name.ts'
import { isRecord } from '../base/value.ts'
import { mayBeData } from './shape.ts'
import { samplesOf } from './shape-sample.ts'
import { holdsWords, isKnownWord } from './words.ts'

/** A payload that was received, with its event's name. */
export interface Sample {
  readonly event: string
  readonly json: unknown
}

/** A shape that is locked: paths with their types, `data.from:string`. */
export interface LockedShape {
  readonly event: string
  readonly places: readonly string[]
}

const MAX_EVENTS = 100
const MAX_MEMBERS_OF_EVENT = 1_000
const MAX_MEMBERS_OF_OBJECT = 200
const MAX_DEPTH = 16
const ANYTHING_ELSE = '[member: string]: unknown'

const HEAD = `// observed, not contract: \`switchhook payload types\` read this from deliveries that were received.
// The service publishes no payload fields, so the next delivery may lack a member or have others.
export {}

declare module 'switchhook' {
  interface Payloads {
`

/**
 * Generates the types of payloads (EVT-05), as a TypeScript module that fills `Payloads`. All samples of an event
 * become one type: a member that some samples lack is optional, kinds that differ are a union. A string is a string; only
 * a member for the service's own words names those that are known, and stays open for others. The order of the samples
 * does not change the text, and no other value of theirs stands in it; what is too deep or too large for a file that
 * people read is `unknown`. A locked shape counts as a sample of its event.
 */
export function typesOf(samples: Iterable<Sample>, locked: readonly LockedShape[] = []): string {
  const events = new Map<string, Shape>()
  const shapeOf = (event: string) => {
    const shape = events.get(event) ?? newShape()
    events.set(event, shape)
    return shape
  }
  for (const { event, json } of samples) observe(shapeOf(event), json)
  const seen = new Map([...events].map(([event, shape]) => [event, shape.seen]))
  for (const { event, places } of locked) for (const json of samplesOf(places)) observe(shapeOf(event), json)
  const lines = mostSeen(events, MAX_EVENTS).map(([event, shape]) => {
    const type = unionOf(shape, '    ', { members: MAX_MEMBERS_OF_EVENT }).join(' | ')
    const shapes = locked.filter((each) => each.event === event).length
    const count = `seen: ${seen.get(event) ?? 0}${shapes > 0 ? `, locked shapes: ${shapes}` : ''}`
    return `    /** ${count} */\n    ${memberName(event)}: ${type}\n`
  })
  const more = events.size - lines.length
  if (more > 0) lines.push(`    // left out, since there are so many: ${more} events\n`)
  return `${HEAD}${lines.join('')}  }\n}\n`
}

// ── merging the samples into one shape ──────────────────────────────────────────────────────────────

/** The kinds of the values seen at one place, over all samples; no value itself is kept. */
interface Shape {
  /** How many values were seen here. */
  seen: number
  /** `unknown`: nested deeper than the limit, or nothing that JSON has. */
  readonly kinds: Set<'string' | 'number' | 'boolean' | 'null' | 'unknown'>
  /** The service's own words that were seen here. */
  readonly words: Set<string>
  /** All objects seen here, merged. */
  object?: ObjectShape
  /** The elements of all arrays seen here, merged. */
  elements?: Shape
}

interface ObjectShape {
  /** How many objects were seen here: a member seen less often is absent in some of them. */
  seen: number
  readonly members: Map<string, Shape>
  /** Members whose names are data, as in a table by phone number; the names are not kept. */
  keyed?: Shape
}

function newShape(): Shape {
  return { seen: 0, kinds: new Set(), words: new Set() }
}

function observe(shape: Shape, value: unknown, name = '', left = MAX_DEPTH): void {
  shape.seen++
  if (value === null) shape.kinds.add('null')
  else if (typeof value === 'string') {
    shape.kinds.add('string')
    if (holdsWords(name) && isKnownWord(value)) shape.words.add(value)
  } else if (typeof value === 'number') shape.kinds.add('number')
  else if (typeof value === 'boolean') shape.kinds.add('boolean')
  else if (left === 0) shape.kinds.add('unknown')
  else if (Array.isArray(value)) {
    const elements = (shape.elements ??= newShape())
    for (const element of value) observe(elements, element, name, left - 1)
  } else if (isRecord(value)) {
    const object = (shape.object ??= { seen: 0, members: new Map() })
    object.seen++
    for (const member of Object.keys(value)) observe(memberOf(object, member), value[member], member, left - 1)
  } else shape.kinds.add('unknown')
}

function memberOf(object: ObjectShape, name: string): Shape {
  // The generated file is made to be committed, and a customer's number or name that is a key must not get into it.
  if (mayBeData(name)) return (object.keyed ??= newShape())
  let member = object.members.get(name)
  if (!member) object.members.set(name, (member = newShape()))
  return member
}

// ── writing a shape as a type ───────────────────────────────────────────────────────────────────────

/** How much of this event may still be written. */
interface Budget {
  members: number
}

function unionOf(shape: Shape, indent: string, budget: Budget): string[] {
  const { kinds, words, object, elements } = shape
  if (kinds.has('unknown')) return ['unknown']
  const types: string[] = (['string', 'number', 'boolean'] as const).filter((kind) => kinds.has(kind))
  if (words.size > 0) types.splice(0, 1, ...[...words].sort().map((word) => `'${word}'`), '(string & {})')
  if (object) types.push(objectType(object, indent, budget))
  if (elements) types.push(`${inParentheses(unionOf(elements, indent, budget))}[]`)
  if (kinds.has('null')) types.push('null')
  return types.length > 0 ? types : ['unknown']
}

function inParentheses(types: readonly string[]): string {
  return types.length === 1 ? (types[0] ?? '') : `(${types.join(' | ')})`
}

function objectType({ seen, members, keyed }: ObjectShape, indent: string, budget: Budget): string {
  const written = mostSeen(members, Math.min(MAX_MEMBERS_OF_OBJECT, budget.members))
  budget.members -= written.length
  const inner = `${indent}  `
  const lines = written.map(([name, member]) => {
    const optional = member.seen < seen ? '?' : ''
    return `${memberName(name)}${optional}: ${unionOf(member, inner, budget).join(' | ')}`
  })
  if (keyed && members.size === 0) lines.push(`[member: string]: ${unionOf(keyed, inner, budget).join(' | ')}`)
  // Beside members with types of their own, a narrower index signature would not fit them all.
  else if (keyed || written.length < members.size || members.size === 0) lines.push(ANYTHING_ELSE)
  return `{\n${lines.map((line) => `${inner}${line}\n`).join('')}${indent}}`
}

/** The shapes seen most often, up to a limit; sorted by name, so that the next run changes no line without need. */
function mostSeen(shapes: ReadonlyMap<string, Shape>, limit: number): [name: string, shape: Shape][] {
  const byName = [...shapes].sort(([a], [b]) => (a < b ? -1 : 1))
  if (byName.length <= limit) return byName
  const chosen = new Set([...byName].sort(([, a], [, b]) => b.seen - a.seen).slice(0, limit))
  return byName.filter((entry) => chosen.has(entry))
}
