import { memberName } from '../base/member-name.ts'
import { newShape, type ObjectShape, observe, type Shape } from './shape.ts'

/** A payload that was really received, with its event's name. */
export interface Sample {
  readonly event: string
  readonly json: unknown
}

const MAX_EVENTS = 100
const MAX_MEMBERS_OF_EVENT = 1_000
const MAX_MEMBERS_OF_OBJECT = 200
const ANYTHING_ELSE = '[member: string]: unknown'

const HEAD = `// observed, not contract: \`switchhook payload types\` read this from deliveries that were received.
// The service publishes no payload fields, so the next delivery may lack a member or have others.
export {}

declare module 'switchhook' {
  interface Payloads {
`

/**
 * The types of payloads (EVT-05), as a TypeScript module that fills `Payloads`. All samples of an event become one
 * type: a member that some lack is optional, kinds that differ are a union, and a string is a string, never a closed
 * set of the values seen. The text is the same whatever the order of the samples, and holds no value of theirs; what
 * is too deep or too much for a file that people read is `unknown`.
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

/** What may still be written of this event. */
interface Left {
  members: number
}

function unionOf(shape: Shape, indent: string, left: Left): string[] {
  const { kinds, object, elements } = shape
  if (kinds.has('unknown')) return ['unknown']
  const types: string[] = (['string', 'number', 'boolean'] as const).filter((kind) => kinds.has(kind))
  if (object) types.push(objectType(object, indent, left))
  if (elements) types.push(`${single(unionOf(elements, indent, left))}[]`)
  if (kinds.has('null')) types.push('null')
  return types.length > 0 ? types : ['unknown']
}

function single(types: readonly string[]): string {
  return types.length === 1 ? (types[0] ?? '') : `(${types.join(' | ')})`
}

function objectType({ seen, members, keyed }: ObjectShape, indent: string, left: Left): string {
  const shown = mostSeen(members, Math.min(MAX_MEMBERS_OF_OBJECT, left.members))
  left.members -= shown.length
  const inner = `${indent}  `
  const lines = shown.map(([name, member]) => {
    const optional = member.seen < seen ? '?' : ''
    return `${memberName(name)}${optional}: ${unionOf(member, inner, left).join(' | ')}`
  })
  if (keyed && members.size === 0) lines.push(`[member: string]: ${unionOf(keyed, inner, left).join(' | ')}`)
  // Beside members of their own types, no narrower one would hold for all.
  else if (keyed || shown.length < members.size || members.size === 0) lines.push(ANYTHING_ELSE)
  return `{\n${lines.map((line) => `${inner}${line}\n`).join('')}${indent}}`
}

/** Those seen most often, where there are too many; by name, so that the next run changes no line without need. */
function mostSeen(shapes: ReadonlyMap<string, Shape>, most: number): [name: string, shape: Shape][] {
  const byName = [...shapes].sort(([a], [b]) => (a < b ? -1 : 1))
  if (byName.length <= most) return byName
  const chosen = new Set([...byName].sort(([, a], [, b]) => b.seen - a.seen).slice(0, most))
  return byName.filter((entry) => chosen.has(entry))
}
