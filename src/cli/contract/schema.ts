import type { Schema } from '../../emulator/service/docs.ts'
import { node, type Node } from './tree.ts'

/** Compared limits. Patterns are not compared, since one rule can be written in many ways. */
const LIMITS = ['minLength', 'maxLength', 'minimum', 'maximum', 'minItems', 'maxItems'] as const
const DEEPEST = 12

/** Returns a part itself, or the part that its `$ref` names. */
export type Resolve = <T extends object>(part: T) => T

/** Normalises a schema, whichever of several ways it is written in. A schema inside itself is not followed again. */
export function schemaNode(schema: Schema, resolve: Resolve, above: readonly Schema[] = []): Node {
  const made = node()
  const self = resolve(schema)
  const { from, types, values, limits, members, items } = gather(self, resolve)
  if (types.size > 0) made.properties.set('type', [...types].sort().join(' or '))
  if (values.size > 0) made.properties.set('enum', [...values].sort().join(', '))
  for (const [name, limit] of limits) made.properties.set(name, String(limit))
  // A null default means the same as no default.
  const usual = self.default ?? undefined
  if (usual !== undefined) made.properties.set('default', JSON.stringify(usual))
  if (from.some((one) => above.includes(one))) return made
  const inner = (schemas: readonly Schema[]) => schemaNode(oneOf(schemas), resolve, [...above, ...from])
  for (const [name, { required, schemas }] of members) {
    const member = inner(schemas)
    member.properties.set('required', required ? 'yes' : 'no')
    made.children.set(name, member)
  }
  if (items.length > 0) made.children.set('[]', inner(items))
  return made
}

function oneOf(schemas: readonly Schema[]): Schema {
  return schemas.length === 1 && schemas[0] ? schemas[0] : { anyOf: schemas }
}

interface Gathered {
  readonly from: Schema[]
  readonly types: Set<string>
  readonly values: Set<string>
  readonly limits: Map<string, number>
  readonly members: Map<string, { required: boolean; schemas: Schema[] }>
  readonly items: Schema[]
}

/** Merges alternatives and parts, so that `{type: ['string', 'null']}`, `anyOf` of both and `nullable` are equal. */
function gather(given: Schema, resolve: Resolve, depth = 0): Gathered {
  const schema = resolve(given)
  const made: Gathered = {
    from: [schema],
    types: new Set(),
    values: new Set(),
    limits: new Map(),
    members: new Map(),
    items: [],
  }
  for (const type of [schema.type ?? []].flat()) made.types.add(type)
  if (schema.nullable) made.types.add('null')
  for (const value of schema.const === undefined ? (schema.enum ?? []) : [schema.const])
    if (value !== null) made.values.add(JSON.stringify(value))
  for (const name of LIMITS) {
    const limit = schema[name]
    if (typeof limit === 'number' && !(name.startsWith('min') && limit === 0 && name !== 'minimum'))
      made.limits.set(name, limit)
  }
  for (const [name, member] of Object.entries(schema.properties ?? {}))
    made.members.set(name, { required: schema.required?.includes(name) ?? false, schemas: [member] })
  if (schema.items) made.items.push(schema.items)
  if (depth === DEEPEST) return made
  const all = (schema.allOf ?? []).map((part) => gather(part, resolve, depth + 1))
  for (const part of all) merge(made, part, 'all')
  const alternatives = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].map((one) => gather(one, resolve, depth + 1))
  const objects = alternatives.filter(({ members }) => members.size > 0)
  for (const one of alternatives) merge(made, one, 'any')
  // A member is required if each alternative that has members requires it.
  for (const [name, member] of made.members)
    if (objects.length > 0) member.required = objects.every(({ members }) => members.get(name)?.required ?? false)
  return made
}

function merge(into: Gathered, part: Gathered, how: 'all' | 'any'): void {
  into.from.push(...part.from)
  for (const type of part.types) into.types.add(type)
  for (const value of part.values) into.values.add(value)
  for (const [name, limit] of part.limits) into.limits.set(name, limit)
  for (const [name, { required, schemas }] of part.members) {
    const known = into.members.get(name)
    if (known) known.schemas.push(...schemas)
    into.members.set(name, {
      required: (known?.required ?? false) || (how === 'all' && required),
      schemas: known?.schemas ?? [...schemas],
    })
  }
  into.items.push(...part.items)
}
