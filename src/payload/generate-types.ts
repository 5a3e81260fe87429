import { memberName } from '../base/member-name.ts'
import { isRecord } from '../base/value.ts'

/** A payload that was received, with its event's name. */
export interface Sample {
  readonly event: string
  readonly json: unknown
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
 * become one type: a member that some samples lack is optional, kinds that differ are a union, and a string is a
 * string, never a closed set of the values seen. The order of the samples does not change the text, and no value of
 * theirs stands in it; what is too deep or too large for a file that people read is `unknown`.
 */
export function typesOf(samples: Iterable<Sample>): string {
  const events = new Map<string, Shape>()
  for (const { event, json } of samples) {
    let shape = events.get(event)
    if (!shape) events.set(event, (shape = newShape()))
    observe(shape, json)
  }
  const lines = mostSeen(events, MAX_EVENTS).map(([event, shape]) => {
    const type = unionOf(shape, '    ', { members: MAX_MEMBERS_OF_EVENT }).join(' | ')
    return `    /** seen: ${shape.seen} */\n    ${memberName(event)}: ${type}\n`
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
  return { seen: 0, kinds: new Set() }
}

function observe(shape: Shape, value: unknown, left = MAX_DEPTH): void {
  shape.seen++
  if (value === null) shape.kinds.add('null')
  else if (typeof value === 'string') shape.kinds.add('string')
  else if (typeof value === 'number') shape.kinds.add('number')
  else if (typeof value === 'boolean') shape.kinds.add('boolean')
  else if (left === 0) shape.kinds.add('unknown')
  else if (Array.isArray(value)) {
    const elements = (shape.elements ??= newShape())
    for (const element of value) observe(elements, element, left - 1)
  } else if (isRecord(value)) {
    const object = (shape.object ??= { seen: 0, members: new Map() })
    object.seen++
    for (const name of Object.keys(value)) observe(memberOf(object, name), value[name], left - 1)
  } else shape.kinds.add('unknown')
}

function memberOf(object: ObjectShape, name: string): Shape {
  if (isData(name)) return (object.keyed ??= newShape())
  let member = object.members.get(name)
  if (!member) object.members.set(name, (member = newShape()))
  return member
}

const MAX_NAME_LENGTH = 64
const MANY_DIGITS = /(?:\d\D*){6}/
const ADDRESS = /.@/

/**
 * Tells whether a member's name is data: a phone number, an id, a date, an address. The generated file is made to be
 * committed, and a customer's number that is a key must not get into it.
 */
function isData(name: string): boolean {
  return name.length > MAX_NAME_LENGTH || MANY_DIGITS.test(name) || ADDRESS.test(name)
}

// ── writing a shape as a type ───────────────────────────────────────────────────────────────────────

/** How much of this event may still be written. */
interface Budget {
  members: number
}

function unionOf(shape: Shape, indent: string, budget: Budget): string[] {
  const { kinds, object, elements } = shape
  if (kinds.has('unknown')) return ['unknown']
  const types: string[] = (['string', 'number', 'boolean'] as const).filter((kind) => kinds.has(kind))
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
