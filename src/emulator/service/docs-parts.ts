/** A JSON Schema as far as the page shows it. */
interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly default?: unknown
  readonly format?: string
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
}

export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}

/** The schema of a body or an answer. */
export function contentOf(part: { readonly content?: object }): object {
  const content = part.content as Record<string, { schema: object }> | undefined
  return content?.['application/json']?.schema ?? {}
}

/** What a schema says, as nested lists. */
export function schemaHtml(schema: Schema): string {
  if (schema.$ref !== undefined) {
    const name = escaped(schema.$ref.split('/').at(-1) ?? '')
    return `<a href="#${name}"><code>${name}</code></a>`
  }
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return choices.map(schemaHtml).join(' or ')
  const members = Object.entries(schema.properties ?? {}).map(([name, member]) => memberHtml(name, member, schema))
  return [
    words(schema),
    schema.description === undefined ? '' : ` ${escaped(schema.description)}`,
    schema.items ? ` of ${schemaHtml(schema.items)}` : '',
    members.length > 0 ? `<ul>${members.join('')}</ul>` : '',
  ].join('')
}

function memberHtml(name: string, member: Schema, { required }: Schema): string {
  const must = required?.includes(name) ? ' <strong>required</strong>' : ''
  return `<li><code>${escaped(name)}</code>${must}: ${schemaHtml(member)}</li>`
}

function words(schema: Schema): string {
  const type = schema.type === undefined ? '' : [schema.type].flat().join(' or ')
  const size = [
    bounds('characters', schema.minLength, schema.maxLength),
    bounds('items', schema.minItems, schema.maxItems),
  ]
  const said = [
    schema.const === undefined ? type : JSON.stringify(schema.const),
    schema.enum?.map((value) => JSON.stringify(value)).join(', '),
    schema.format,
    ...size,
    bounds('', schema.minimum, schema.maximum),
    schema.default === undefined ? undefined : `default ${JSON.stringify(schema.default)}`,
  ]
  return escaped(said.filter((part) => part !== undefined && part !== '').join(', '))
}

function bounds(unit: string, min: number | undefined, max: number | undefined): string {
  if (min === undefined && max === undefined) return ''
  const range = min === undefined ? `at most ${max}` : max === undefined ? `at least ${min}` : `${min} to ${max}`
  return `${range} ${unit}`.trim()
}
