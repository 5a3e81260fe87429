import { z } from 'zod'
import {
  componentSchema,
  interactiveSchema,
  LIMITS,
  messageSchema,
  parameterSchema,
  sendSchema,
  templateSchema,
  templatesPageSchema,
} from '../../contract/index.ts'

type JsonSchema = { [member: string]: unknown }

const REQUESTS = {
  SendMessageIn: sendSchema,
  // Named, not inlined: generators of clients take an inlined member with a default for required.
  MessageType: sendSchema.shape.type,
  InteractiveIn: interactiveSchema,
  TemplateComponentIn: componentSchema,
  TemplateParameterIn: parameterSchema,
}

/** An interactive message as the answer renders it; the contract's reader takes any object there (SEND-18). */
const interactiveOut = z
  .looseObject({
    type: z.string(),
    body: z.string(),
    footer: z.string(),
    buttons: z.array(z.looseObject({ id: z.string(), title: z.string() })),
    button_text: z.string(),
    sections: z.array(
      z.looseObject({
        title: z.string().nullish(),
        rows: z.array(z.looseObject({ id: z.string(), title: z.string(), description: z.string().nullish() })),
      }),
    ),
    cta: z.looseObject({ display_text: z.string(), url: z.string() }),
  })
  .partial()

const ANSWERS = {
  MessageOut: messageSchema.extend({ interactive: interactiveOut.nullish() }),
  InteractiveOut: interactiveOut,
  TemplateOut: templateSchema,
  TemplatePage: templatesPageSchema,
}

/** Lengths that the contract checks in code points with code of its own; JSON Schema counts them alike. */
const LENGTHS: Readonly<Record<string, { readonly min?: number; readonly max: number }>> = {
  'SendMessageIn.text': LIMITS.text,
  'SendMessageIn.media_caption': LIMITS.mediaCaption,
  'InteractiveIn.body': LIMITS.interactiveBody,
  'InteractiveIn.footer': LIMITS.interactiveFooter,
  'InteractiveIn.button_text': LIMITS.listButtonText,
  'InteractiveIn.buttons.id': LIMITS.buttonId,
  'InteractiveIn.buttons.title': LIMITS.buttonTitle,
  'InteractiveIn.sections.title': LIMITS.sectionTitle,
  'InteractiveIn.sections.rows.id': LIMITS.rowId,
  'InteractiveIn.sections.rows.title': LIMITS.rowTitle,
  'InteractiveIn.sections.rows.description': LIMITS.rowDescription,
  'InteractiveIn.cta.display_text': LIMITS.linkTitle,
  'InteractiveIn.cta.url': LIMITS.linkUrl,
}

/** The addresses that the contract parses with code of its own. */
const ADDRESSES = /^(?:SendMessageIn\.media_url|InteractiveIn\.cta\.url|TemplateParameterIn\.\w+\.link)$/

/** The contract's schemas as JSON Schema, and the two forms of an error. */
export function schemas(): Record<string, object> {
  const requests = describeSchemas(REQUESTS, 'input')
  const { buttons, sections } = (requests['InteractiveIn'] as { properties: Record<string, JsonSchema> }).properties
  // The contract checks these by code of its own, since they hold for one type of interactive message each.
  if (buttons) buttons['minItems'] = 1
  if (sections) sections['minItems'] = LIMITS.rows.min
  return { ...requests, ...describeSchemas(ANSWERS, 'output'), ...ERRORS }
}

function describeSchemas(named: Readonly<Record<string, z.ZodType>>, io: 'input' | 'output'): Record<string, object> {
  const registry = z.registry<{ id: string }>()
  for (const [id, schema] of Object.entries(named)) registry.add(schema, { id })
  const made = z.toJSONSchema(registry, {
    io,
    uri: (id) => `#/components/schemas/${id}`,
    unrepresentable: 'any',
  }).schemas
  return Object.fromEntries(Object.entries(made).map(([id, schema]) => [id, clean(schema as JsonSchema, id)]))
}

/** A schema without members that say nothing (`additionalProperties: {}`), with its lengths and with times marked as times. */
function clean(schema: JsonSchema, path: string): JsonSchema {
  const { $schema: _, $id: __, additionalProperties, ...rest } = schema
  // A schema that names no member would be read as an object that has none.
  if (rest['properties'] && Object.keys(rest['properties']).length === 0)
    return { type: rest['type'], additionalProperties: true }
  const kept: JsonSchema = { ...rest, ...(additionalProperties === false && { additionalProperties }) }
  for (const member of ['anyOf', 'oneOf'])
    if (Array.isArray(kept[member])) kept[member] = kept[member].map((each) => clean(each, path))
  if (kept['items']) kept['items'] = clean(kept['items'] as JsonSchema, path)
  if (kept['properties']) kept['properties'] = cleanMembers(kept['properties'] as JsonSchema, path)
  return { ...kept, ...formOf(kept, path) }
}

function cleanMembers(members: JsonSchema, path: string): JsonSchema {
  return Object.fromEntries(
    Object.entries(members).map(([name, member]) => [name, clean(member as JsonSchema, `${path}.${name}`)]),
  )
}

function formOf({ type }: JsonSchema, path: string): JsonSchema {
  if (type !== 'string' && !(Array.isArray(type) && type.includes('string'))) return {}
  const length = LENGTHS[path]
  return {
    ...(length?.min !== undefined && { minLength: length.min }),
    ...(length && { maxLength: length.max }),
    ...(path.endsWith('_at') && { format: 'date-time' }),
    ...(ADDRESSES.test(path) && { format: 'uri' }),
  }
}

const ERRORS = {
  Error: {
    type: 'object',
    description: 'Branch on code; message may be reworded. A mismatch of template parameters has no code.',
    properties: {
      code: { type: 'string' },
      message: { type: 'string' },
      phone_number_ids: { type: 'array', items: { type: 'string' }, description: 'With ambiguous_number.' },
    },
    required: ['message'],
  },
  ValidationErrors: {
    type: 'object',
    properties: {
      detail: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            loc: { type: 'array', items: { type: ['string', 'integer'] } },
            msg: { type: 'string' },
            type: { type: 'string' },
          },
          required: ['loc', 'msg', 'type'],
        },
      },
    },
    required: ['detail'],
  },
}
