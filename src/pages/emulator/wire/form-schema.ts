import { parseJson } from '../../../base/value.ts'

export interface JsonSchema {
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly default?: unknown
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly items?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly pattern?: string
  readonly minLength?: number
  readonly minimum?: number
  readonly maximum?: number
}

/** `value`: a field for a text or JSON. `json`: a field for values without another form, such as a list of objects. */
export type Editor =
  | {
      readonly kind: 'object'
      readonly members: Readonly<Record<string, JsonSchema>>
      readonly required: readonly string[]
    }
  | { readonly kind: 'choice'; readonly options: readonly unknown[] }
  | { readonly kind: 'boolean' | 'number' | 'text' | 'value' | 'json' }

export function editorOf(schema: JsonSchema): Editor {
  const variants = variantsOf(schema)
  if (variants.length > 0) return editorOfVariants(variants)
  if (schema.const !== undefined) return { kind: 'choice', options: [schema.const] }
  if (schema.enum) return { kind: 'choice', options: schema.enum }
  if (schema.properties) return { kind: 'object', members: schema.properties, required: schema.required ?? [] }
  if (schema.type === 'boolean') return { kind: 'boolean' }
  if (schema.type === 'number' || schema.type === 'integer') return { kind: 'number' }
  if (schema.type === 'string') return { kind: 'text' }
  return { kind: 'json' }
}

function variantsOf({ oneOf, anyOf, type }: JsonSchema): readonly JsonSchema[] {
  return oneOf ?? anyOf ?? (Array.isArray(type) ? type.map((one: string) => ({ type: one })) : [])
}

function editorOfVariants(variants: readonly JsonSchema[]): Editor {
  const editors = variants.map(editorOf)
  const choices = editors.flatMap((one) => (one.kind === 'choice' ? one.options : []))
  if (editors.every(({ kind }) => kind === 'choice')) return { kind: 'choice', options: choices }
  const objects = editors.filter((one) => one.kind === 'object')
  if (objects.length < editors.length) return { kind: 'value' }
  const members: Record<string, JsonSchema> = {}
  for (const one of objects)
    for (const [name, schema] of Object.entries(one.members))
      members[name] = members[name] === undefined ? schema : { anyOf: [members[name], schema] }
  const required = Object.keys(members).filter((name) => objects.every((one) => one.required.includes(name)))
  return { kind: 'object', members: simplified(members), required }
}

/** If all variants of a member are edited in the same way, only its first variant is kept. */
function simplified(members: Readonly<Record<string, JsonSchema>>): Record<string, JsonSchema> {
  return Object.fromEntries(
    Object.entries(members).map(([name, schema]) => {
      const [first, ...others] = (schema.anyOf ?? []).map((one) => editorOf(one).kind)
      const isSame = first !== undefined && first !== 'choice' && others.every((kind) => kind === first)
      return [name, isSame ? (schema.anyOf?.[0] ?? schema) : schema]
    }),
  )
}

export function toText(value: unknown): string {
  if (value === undefined) return ''
  if (value === null) return 'none'
  return typeof value === 'string' ? value : JSON.stringify(value, null, typeof value === 'object' ? 2 : 0)
}

function fromText(editor: Editor, schema: JsonSchema, text: string): unknown {
  const trimmed = text.trim()
  if (trimmed === '') return undefined
  if (editor.kind === 'text') return text
  if (editor.kind === 'choice') return editor.options.find((option) => toText(option) === trimmed)
  if (editor.kind === 'value') return valueOf(variantsOf(schema), trimmed)
  const value = parseJson(trimmed)
  if (value === undefined) throw new Error(`This is not JSON: ${trimmed}`)
  return value
}

/** Returns the text itself, unless it is JSON of a type that one of the variants has. */
function valueOf(variants: readonly JsonSchema[], text: string): unknown {
  const value = text === 'none' ? null : parseJson(text)
  const isExpected = variants.some((one) => {
    if ('const' in one) return one.const === value
    if (value === null) return one.type === 'null'
    return (
      one.type === (Array.isArray(value) ? 'array' : typeof value) ||
      (one.type === 'integer' && Number.isInteger(value))
    )
  })
  return isExpected ? value : text
}

/**
 * Reads the value of a form, without members that are empty or have their current value. Fields have names such as
 * `plan.api`.
 *
 * @param textOf the text of a field; null for a box that is not checked.
 */
export function readForm(
  schema: JsonSchema,
  textOf: (name: string) => string | null,
  current: unknown,
  name = '',
): unknown {
  const editor = editorOf(schema)
  if (editor.kind === 'object') {
    const entries = Object.entries(editor.members).map(([member, inner]) => [
      member,
      readForm(inner, textOf, memberOf(current, member), inside(name, member)),
    ])
    const given = entries.filter(([, value]) => value !== undefined)
    return given.length === 0 && name !== '' ? undefined : Object.fromEntries(given)
  }
  const text = textOf(name)
  if (editor.kind === 'boolean' && typeof current === 'boolean')
    return (text !== null) === current ? undefined : text !== null
  const value = fromText(editor, schema, text ?? '')
  return JSON.stringify(value) === JSON.stringify(current) ? undefined : value
}

export function memberOf(value: unknown, member: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[member] : undefined
}

export function inside(name: string, member: string): string {
  return name === '' ? member : `${name}.${member}`
}
