import { z } from 'zod'
import { API_ERRORS } from '../../service/error-table.ts'
import { API_PREFIX, ENDPOINTS, IDEMPOTENCY_KEY, LIMITS, PHONE_NUMBER_ID } from '../../service/endpoints.ts'
import { componentSchema, interactiveSchema, parameterSchema, sendSchema } from '../../service/send-request.ts'
import { messageSchema, templateSchema, templatesPageSchema } from '../../service/answers.ts'
import type { HttpAnswer } from '../http/messages.ts'

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const json = (schema: object) => ({ 'application/json': { schema } })

const OF_SENDS = [409, 429, 502]
const OF_BOTH = [400, 401, 402, 403, 422, 500]

function errors(statuses: readonly number[]): object {
  const codesOf = (status: number) =>
    Object.entries(API_ERRORS).flatMap(([code, rule]) => (rule.status === status ? [code] : []))
  return Object.fromEntries(
    statuses.map((status) => [status, { description: codesOf(status).join(', '), content: json(ref('Error')) }]),
  )
}

const header = (name: string) => ({ name, in: 'header', schema: { type: 'string' } })
const query = (name: string, schema: object) => ({ name, in: 'query', schema })

const SEND = {
  summary: 'Send a message',
  parameters: [header(IDEMPOTENCY_KEY), header(PHONE_NUMBER_ID)],
  requestBody: { required: true, content: json(ref('SendMessageIn')) },
  responses: {
    200: { description: 'Accepted.', content: json(ref('MessageOut')) },
    ...errors([...OF_BOTH, ...OF_SENDS]),
  },
}

const { min, max, default: defaultLimit } = LIMITS.templatesPage

const LIST = {
  summary: 'List the templates of the connected number, newest first',
  parameters: [
    query('sendable', { type: 'boolean' }),
    query('cursor', { type: 'string' }),
    query('limit', { type: 'integer', minimum: min, maximum: max, default: defaultLimit }),
    header(PHONE_NUMBER_ID),
  ],
  responses: { 200: { description: 'A page.', content: json(ref('TemplatePage')) }, ...errors(OF_BOTH) },
}

/** The contract as OpenAPI 3.1. `switchhook contract diff` compares it with the description of a live service. */
export const description = () => ({
  openapi: '3.1.0',
  info: { title: 'Messaging Developer API', version: '2', description: 'An emulator of the service.' },
  security: [{ accessToken: [] }],
  paths: { [API_PREFIX + ENDPOINTS.send.path]: { post: SEND }, [API_PREFIX + ENDPOINTS.templates.path]: { get: LIST } },
  components: { securitySchemes: { accessToken: { type: 'http', scheme: 'bearer' } }, schemas: schemas() },
})

const REQUESTS = {
  SendMessageIn: sendSchema,
  MessageType: sendSchema.shape.type,
  InteractiveIn: interactiveSchema,
  TemplateComponentIn: componentSchema,
  TemplateParameterIn: parameterSchema,
}

/** An interactive message in an answer, for the description only. The client accepts any object there (SEND-18). */
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
  TemplateOut: templateSchema,
  TemplatePage: templatesPageSchema,
  Error: z.looseObject({ code: z.string().optional(), message: z.string() }),
}

function schemas(): Record<string, object> {
  const requests = describeSchemas(REQUESTS, 'input')
  // `interactiveSchema` checks these minimums in code, because each belongs to one type of interactive message.
  Object.assign(requests['InteractiveIn']?.properties?.['buttons'] ?? {}, { minItems: 1 })
  Object.assign(requests['InteractiveIn']?.properties?.['sections'] ?? {}, { minItems: LIMITS.rows.min })
  return { ...requests, ...describeSchemas(ANSWERS, 'output') }
}

function describeSchemas(named: Readonly<Record<string, z.ZodType>>, io: 'input' | 'output') {
  const registry = z.registry<{ id: string }>()
  for (const [id, schema] of Object.entries(named)) registry.add(schema, { id })
  return z.toJSONSchema(registry, {
    io,
    uri: (id) => `#/components/schemas/${id}`,
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema }) {
      // The schemas of the contract state some lengths and formats as metadata, because code checks them.
      Object.assign(jsonSchema, z.globalRegistry.get(zodSchema))
      const [some, none] = jsonSchema.anyOf ?? []
      if (typeof some?.type !== 'string' || some.properties || none?.type !== 'null') return
      // Write "something or null" as one type, as other generators do.
      Object.assign(jsonSchema, some, { type: [some.type, 'null'] })
      delete jsonSchema.anyOf
    },
  }).schemas
}

/** The description as a page of plain text. */
export function docsPage(): HttpAnswer {
  const { info, paths, components } = description()
  const parts = Object.entries({ ...paths, ...components.schemas }).map(
    ([name, content]) => `<h2>${name}</h2><pre>${escapeHtml(JSON.stringify(content, null, 2))}</pre>`,
  )
  const body = `<!doctype html><html lang="en"><meta charset="utf-8"><title>${info.title}</title>
<h1>${info.title}</h1><p>${escapeHtml(info.description)} <a href="openapi.json">openapi.json</a></p>${parts.join('\n')}</html>`
  const headers = { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': "default-src 'none'" }
  return { status: 200, body, headers }
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
