import {
  API_ERRORS,
  API_PREFIX,
  ENDPOINTS,
  IDEMPOTENCY_KEY,
  IDEMPOTENCY_REPLAYED,
  LIMITS,
  PHONE_NUMBER_ID,
} from '../../contract/index.ts'
import { schemas } from './schemas.ts'

const IS_EMULATOR =
  'This is an emulator of the service on your own machine: no send leaves it, and every answer says so in X-Emulator.'

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const json = (schema: object) => ({ 'application/json': { schema } })

/** The statuses of errors that only a send meets. */
const OF_SENDS = [409, 429, 502] as const
const OF_BOTH = [400, 401, 402, 403, 422, 500] as const

/** The codes of a status, out of the contract's table. */
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
  description: 'Names the number, where one token is held by several.',
  schema: { type: 'string' },
}

const KEY_HEADER = {
  name: IDEMPOTENCY_KEY,
  in: 'header',
  description: 'One per message, derived from the thing that it is about. A repeat with the same body is replayed.',
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
          description: 'true where the first answer under this key is replayed; nothing was sent again.',
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
    query('sendable', 'true: only those that a send would take now; false: only the others.', { type: 'boolean' }),
    query('cursor', 'next_cursor of the page before.', { type: 'string' }),
    query('limit', 'How many to a page.', { type: 'integer', minimum: min, maximum: max, default: defaultLimit }),
    NUMBER_HEADER,
  ],
  responses: { 200: { description: 'A page.', content: json(ref('TemplatePage')) }, ...errors(OF_BOTH) },
}

/** The description of the running service (GEN-11), as OpenAPI 3.1 out of the contract's own schemas, limits and errors. */
export const description = once(() => ({
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
}))

/** Makes a value when it is first needed: most emulators never need the description. */
function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}
