import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { differences, factsOf } from '../../../src/kit/cli/contract.ts'
import { createEmulator, type Emulator } from '../../../src/emulator/emulator.ts'
import { listenOn } from '../../bot/inbox/adapters/http.ts'
import { jsonLines, switchhook } from './support.ts'

const TOKEN = 'token-canary-4711'

// oxlint-disable-next-line typescript/no-explicit-any
type Json = any

let emulator: Emulator
let document: Json
beforeEach(async () => {
  emulator = await createEmulator({ token: TOKEN })
  const headers = { authorization: `Bearer ${TOKEN}` }
  document = await (await fetch(`${emulator.url}/api/v2/openapi.json`, { headers })).json()
})
afterEach(() => emulator.close())

/** A service that describes itself so. */
async function serviceWith(described: unknown, status = 200) {
  const asked: Record<string, unknown>[] = []
  const { url } = await listenOn((request, response) => {
    asked.push({ url: request.url, authorization: request.headers.authorization })
    const body = typeof described === 'string' ? described : JSON.stringify(described)
    response.writeHead(status, { 'content-type': 'application/json', location: emulator.url }).end(body)
  })
  return { url, asked }
}

const diff = (url: string, ...flags: string[]) =>
  switchhook(['contract', 'diff', ...flags], { SWITCHHOOK_BASE_URL: url, SWITCHHOOK_ACCESS_TOKEN: TOKEN })

/** How a description differs that was altered so. */
function altered(alter: (document: Json) => void) {
  const builtIn = factsOf(structuredClone(document))
  alter(document)
  return differences(builtIn, factsOf(document))
}

const schemas = () => document.components.schemas

describe('switchhook contract diff', () => {
  it('finds no difference between the emulator and the built-in contract, and exits with 0 [C GEN-11]', async () => {
    expect(await diff(emulator.url)).toEqual({ code: 0, stdout: '', stderr: 'No difference.\n' })
  })

  it('finds a limit, an enum, a required member, a new and a missing one, and exits with 1 [C GEN-11]', async () => {
    const { properties, required } = schemas().SendMessageIn
    properties.text.maxLength = 8192
    schemas().MessageType.enum.push('sticker')
    properties.reply_to = { type: 'string' }
    delete properties.media_filename
    required.push('type')
    const { url } = await serviceWith(document)
    const { code, stdout } = await diff(url, '--json')
    const place = 'POST /messages body'
    expect(jsonLines(stdout)).toEqual(
      expect.arrayContaining([
        { kind: 'new', place: `${place} reply_to` },
        { kind: 'missing', place: `${place} media_filename` },
        { kind: 'changed', place: `${place} text`, what: 'maxLength', builtIn: '4096', live: '8192' },
        expect.objectContaining({ kind: 'changed', place: `${place} type`, what: 'enum' }),
        expect.objectContaining({ kind: 'changed', place, what: 'required', live: expect.stringContaining('type') }),
      ]),
    )
    expect([code, jsonLines(stdout).length]).toEqual([1, 5])
  })

  it('sees limits deep in a list, queries, headers, statuses, endpoints and members of the answer, and nothing else [C GEN-11]', () => {
    const found = altered(({ paths }) => {
      const { InteractiveIn, MessageOut } = schemas()
      const { post } = paths['/api/v2/messages']
      const [sendable, , limit] = paths['/api/v2/templates'].get.parameters
      InteractiveIn.properties.sections.items.properties.rows.items.properties.title.maxLength = 30
      sendable.required = true
      limit.schema.default = 50
      post.parameters.shift()
      post.responses[413] = { description: 'Too large.' }
      paths['/api/v2/media'] = { post: { responses: {} } }
      MessageOut.required.push('status')
    })
    const title = 'POST /messages body interactive sections [] rows [] title'
    const seen = found.map(({ kind, place, what, builtIn, live }) => [kind, place, what, builtIn, live])
    expect(new Set(seen)).toEqual(
      new Set([
        ['changed', title, 'maxLength', '24', '30'],
        ['changed', 'GET /templates query sendable', 'required', 'false', 'true'],
        ['changed', 'GET /templates query limit', 'default', '25', '50'],
        ['missing', 'POST /messages header idempotency-key', undefined, undefined, undefined],
        ['new', 'POST /messages 413', undefined, undefined, undefined],
        ['new', 'POST /media', undefined, undefined, undefined],
        ['changed', 'POST /messages 200 body', 'required', expect.any(String), expect.stringContaining('status')],
      ]),
    )
  })

  it('does not count an error status that is only undescribed as a difference', () => {
    const found = altered((all) => {
      delete all.paths['/api/v2/messages'].post.responses[429]
    })
    expect(found).toEqual([])
  })

  it('reads the same contract in other forms: nullable, unions, references, another case of headers, a server with a path', () => {
    const found = altered((all) => {
      const { SendMessageIn, MessageOut } = schemas()
      SendMessageIn.properties.media_filename = { type: 'string', nullable: true, title: 'Name', description: 'shown' }
      SendMessageIn.properties.media_caption = { type: ['null', 'string'], maxLength: 1024 }
      schemas().Renamed = MessageOut
      delete schemas().MessageOut
      const { post } = all.paths['/api/v2/messages']
      post.responses[200].content['application/json'].schema = { allOf: [{ $ref: '#/components/schemas/Renamed' }] }
      post.parameters[0].name = 'idempotency-key'
      post.parameters[0].schema = { anyOf: [{ type: 'string' }, { type: 'null' }] }
      post.parameters.push({ name: 'authorization', in: 'header', required: true, schema: { type: 'string' } })
      all.servers = [{ url: 'https://service.example/api/v2' }]
      all.paths = {
        '/messages': { post },
        '/templates': all.paths['/api/v2/templates'],
        '/openapi.json': { get: { responses: {} } },
      }
    })
    expect(found).toEqual([])
  })

  it('sends the token, under the prefix of the API, and follows no redirect', async () => {
    const { url, asked } = await serviceWith(document)
    await diff(`${url}/`)
    expect(asked).toEqual([{ url: '/api/v2/openapi.json', authorization: `Bearer ${TOKEN}` }])
    const away = await serviceWith('', 302)
    const { code, stderr } = await diff(away.url)
    expect(code).toBe(1)
    expect(stderr).toMatch(/answered 302 without OpenAPI 3: check it/)
  })
})
