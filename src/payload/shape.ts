import { isRecord } from '../base/value.ts'

/** What the values at one place looked like, merged over all samples; of the values themselves nothing is kept. */
export interface Shape {
  /** How many values were seen here. */
  seen: number
  /** `unknown`: deeper than is looked, or nothing that JSON has. */
  readonly kinds: Set<'string' | 'number' | 'boolean' | 'null' | 'unknown'>
  /** The objects seen here, as one. */
  object?: ObjectShape
  /** The elements of all arrays seen here, as one. */
  elements?: Shape
}

export interface ObjectShape {
  /** How many objects were seen here: a member seen less often is absent in some. */
  seen: number
  readonly members: Map<string, Shape>
  /** Members whose names are data, as in a table by phone number; their names are not kept. */
  keyed?: Shape
}

const DEEPEST = 16
const LONGEST_NAME = 64
const MANY_DIGITS = /(?:\d\D*){6}/
const ADDRESS = /.@/

export function newShape(): Shape {
  return { seen: 0, kinds: new Set() }
}

/** Adds one value to what was seen at its place. */
export function observe(shape: Shape, value: unknown, left = DEEPEST): void {
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

/**
 * Whether a member's name is rather a value: a phone number, an id, a date, an address. The file is made to be
 * committed, and a customer's number must not get into it by being a key.
 */
function isData(name: string): boolean {
  return name.length > LONGEST_NAME || MANY_DIGITS.test(name) || ADDRESS.test(name)
}
