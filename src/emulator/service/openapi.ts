import { z } from 'zod'
import {
  API_ERRORS,
  API_PREFIX,
  ENDPOINTS,
  IDEMPOTENCY_KEY,
  IDEMPOTENCY_REPLAYED,
  LIMITS,
  PHONE_NUMBER_ID,
  componentSchema,
  interactiveSchema,
  messageSchema,
  parameterSchema,
  sendSchema,
  templateSchema,
  templatesPageSchema,
} from '../../service/contract.ts'
import { hash } from 'node:crypto'
import type { HttpAnswer } from '../http/messages.ts'

const IS_EMULATOR =
  'This is an emulator of the service on your own machine: no send leaves it, and every answer says so in X-Emulator.'

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const json = (schema: object) => ({ 'application/json': { schema } })

const OF_SENDS = [409, 429, 502] as const
const OF_BOTH = [400, 401, 402, 403, 422, 500] as const

function codesOf(status: number): string {
  const codes = Object.entries(API_ERRORS).filter(([, rule]) => rule.status === status)
  return codes.map(([code, { retry }]) => `\`${code}\` (retry: ${retry})`).join(', ')
}

function errors(statuses: readonly number[]): object {
  return Object.fromEntries(
    statuses.map((status) => [
      String(status),
      {
        description: `${codesOf(status)}${status === 400 ? ', or no code' : ''}${status === 422 ? ', or an array of details' : ''}`,
        content: json(status === 422 ? { anyOf: [ref('Error'), ref('ValidationErrors')] } : ref('Error')),
      },
    ]),
  )
}

const NUMBER_HEADER = {
  name: PHONE_NUMBER_ID,
  in: 'header',
  description: 'Names the number, if several share one token.',
  schema: { type: 'string' },
}

const KEY_HEADER = {
  name: IDEMPOTENCY_KEY,
  in: 'header',
  description: 'One per message, derived from its subject. A repeat with the same body is replayed.',
  schema: { type: 'string' },
}

const SEND = {
  operationId: 'sendMessage',
  summary: 'Send a message',
  description:
    'A 200 means accepted; message.status tells what happened next. Free-form types need an open 24-hour window.',
  tags: ['messages'],
  parameters: [KEY_HEADER, NUMBER_HEADER],
  requestBody: { required: true, content: json(ref('SendMessageIn')) },
  responses: {
    200: {
      description: 'Accepted.',
      headers: {
        [IDEMPOTENCY_REPLAYED]: {
          description: 'true if the first answer under this key is replayed; nothing was sent again.',
          schema: { type: 'string', enum: ['true'] },
        },
      },
      content: json(ref('MessageOut')),
    },
    ...errors([...OF_BOTH, ...OF_SENDS]),
  },
}

const { min, max, default: defaultLimit } = LIMITS.templatesPage
const query = (name: string, description: string, schema: object) => ({ name, in: 'query', description, schema })

const LIST = {
  operationId: 'listTemplates',
  summary: 'List the templates of the connected number, newest first',
  description: 'Read until has_more is false.',
  tags: ['templates'],
  parameters: [
    query('sendable', 'true: only templates that can be sent now; false: only the others.', { type: 'boolean' }),
    query('cursor', 'next_cursor of the previous page.', { type: 'string' }),
    query('limit', 'The number of templates on a page.', {
      type: 'integer',
      minimum: min,
      maximum: max,
      default: defaultLimit,
    }),
    NUMBER_HEADER,
  ],
  responses: { 200: { description: 'A page.', content: json(ref('TemplatePage')) }, ...errors(OF_BOTH) },
}

export const description = () => ({
  openapi: '3.1.0',
  info: {
    title: 'Messaging Developer API',
    version: '2',
    description: IS_EMULATOR,
    license: { name: 'MIT', identifier: 'MIT' },
  },
  servers: [{ url: '/', description: 'This emulator' }],
  security: [{ accessToken: [] }],
  tags: [
    { name: 'messages', description: 'Sending.' },
    { name: 'templates', description: 'What can be sent outside the window.' },
  ],
  paths: {
    [API_PREFIX + ENDPOINTS.send.path]: { post: SEND },
    [API_PREFIX + ENDPOINTS.templates.path]: { get: LIST },
  },
  components: {
    securitySchemes: {
      accessToken: { type: 'http', scheme: 'bearer', description: "The connected number's access token." },
    },
    schemas: schemas(),
  },
})

type JsonSchema = { [member: string]: unknown }

const REQUESTS = {
  SendMessageIn: sendSchema,
  // Named, not inlined: client generators treat an inlined member with a default as required.
  MessageType: sendSchema.shape.type,
  InteractiveIn: interactiveSchema,
  TemplateComponentIn: componentSchema,
  TemplateParameterIn: parameterSchema,
}

/** An interactive message in an answer. The contract's reader accepts any object there (SEND-18). */
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
  Error: z
    .looseObject({
      code: z.string().optional(),
      message: z.string(),
      phone_number_ids: z.array(z.string()).optional().meta({ description: 'With ambiguous_number.' }),
    })
    .meta({
      description: 'Branch on code; message may be reworded. A mismatch of template parameters has no code.',
    }),
  ValidationErrors: z.looseObject({
    detail: z.array(z.looseObject({ loc: z.array(z.union([z.string(), z.int()])), msg: z.string(), type: z.string() })),
  }),
}

function schemas(): Record<string, object> {
  const requests = describeSchemas(REQUESTS, 'input')
  const { buttons, sections } = (requests['InteractiveIn'] as { properties: Record<string, JsonSchema> }).properties
  // The contract checks these in code, because each applies to one type of interactive message.
  if (buttons) buttons['minItems'] = 1
  if (sections) sections['minItems'] = LIMITS.rows.min
  return { ...requests, ...describeSchemas(ANSWERS, 'output') }
}

function describeSchemas(named: Readonly<Record<string, z.ZodType>>, io: 'input' | 'output'): Record<string, object> {
  const registry = z.registry<{ id: string }>()
  for (const [id, schema] of Object.entries(named)) registry.add(schema, { id })
  const made = z.toJSONSchema(registry, {
    io,
    uri: (id) => `#/components/schemas/${id}`,
    unrepresentable: 'any',
    // Lengths and formats, which the contract states beside checks in code.
    override: ({ zodSchema, jsonSchema }) => void Object.assign(jsonSchema, z.globalRegistry.get(zodSchema)),
  }).schemas
  return Object.fromEntries(Object.entries(made).map(([id, schema]) => [id, clean(schema as JsonSchema)]))
}

/** A schema without empty members (`additionalProperties: {}`), and with times marked as times. */
function clean(schema: JsonSchema, name = ''): JsonSchema {
  const { $schema: _, $id: __, additionalProperties, ...rest } = schema
  // A schema without members would be read as an object that has none.
  if (rest['properties'] && Object.keys(rest['properties']).length === 0)
    return { type: rest['type'], additionalProperties: true }
  const kept: JsonSchema = { ...rest, ...(additionalProperties === false && { additionalProperties }) }
  const [choice, nothing, ...more] = (kept['anyOf'] as JsonSchema[] | undefined) ?? []
  // A text or null as one type, from which client generators make simpler types.
  if (
    typeof choice?.['type'] === 'string' &&
    nothing?.['type'] === 'null' &&
    more.length === 0 &&
    !choice['properties']
  )
    return clean({ ...choice, type: [choice['type'], 'null'] }, name)
  for (const member of ['anyOf', 'oneOf'])
    if (Array.isArray(kept[member])) kept[member] = kept[member].map((each) => clean(each, name))
  if (kept['items']) kept['items'] = clean(kept['items'] as JsonSchema)
  if (kept['properties']) kept['properties'] = cleanMembers(kept['properties'] as JsonSchema)
  return { ...kept, ...(name.endsWith('_at') && { format: 'date-time' }) }
}

function cleanMembers(members: JsonSchema): JsonSchema {
  return Object.fromEntries(Object.entries(members).map(([name, member]) => [name, clean(member as JsonSchema, name)]))
}

const STYLE =
  ':root { color-scheme: light dark } body { max-width: 60rem; margin: 0 auto; padding: 1rem } pre { overflow: auto }'

/** The page is text only: it loads, runs, frames and sends nothing, and works without a network. */
const POLICY = `default-src 'none'; style-src 'sha256-${hash('sha256', STYLE, 'base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

export function showDocs(): HttpAnswer {
  const { info, paths, components } = description()
  const sections = Object.entries({ ...paths, ...components.schemas }).map(
    ([name, content]) => `<h2><code>${name}</code></h2><pre>${escapeHtml(JSON.stringify(content, null, 2))}</pre>`,
  )
  const body = `<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${info.title} ${info.version} (emulator)</title><style>${STYLE}</style></head><body><main>
<h1>${info.title}, version ${info.version}</h1><p>${escapeHtml(info.description)}</p>
<p>For machines: <a href="openapi.json">openapi.json</a>.</p>
${sections.join('\n')}
</main></body></html>`
  const headers = {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': POLICY,
    'X-Content-Type-Options': 'nosniff',
  }
  return { status: 200, body, headers }
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
