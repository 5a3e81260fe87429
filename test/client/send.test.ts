import { describe, expect, it } from 'vitest'
import { createClient, NoAnswerError } from '../../src/client/client.ts'
import { encodeSend } from '../../src/service/wire.ts'
import { json, MESSAGE, startService } from './service.ts'
import { accepts, clientOn, rejection, says, TOKEN } from './stub.ts'

const TO = '255712345678'
const send = { body: encodeSend('Habari 👋', TO), idempotencyKey: 'order-7781-ready' }

describe('a request on the wire', () => {
  it('is a POST of exactly the given bytes, with token and key [C SEND-01, C IDEM-01, C AUTH-01]', async () => {
    await using service = await startService(json(200, MESSAGE))
    const client = createClient({ baseUrl: service.url, accessToken: TOKEN })
    await client.attempt(send)
    const [seen] = service.seen
    expect(seen).toMatchObject({ method: 'POST', url: '/api/v2/messages', body: send.body })
    expect(seen?.headers).toMatchObject({
      authorization: `Bearer ${TOKEN}`,
      'content-type': 'application/json',
      'idempotency-key': 'order-7781-ready',
    })
    expect(seen?.headers).not.toHaveProperty('x-phone-number-id')
  })

  it('contains the number’s id on every endpoint, the call’s before the client’s [C SEND-19]', async () => {
    await using service = await startService((response, { method }) =>
      json(200, method === 'POST' ? MESSAGE : { items: [] })(response),
    )
    const client = createClient({ baseUrl: service.url, accessToken: TOKEN, phoneNumberId: 'pn_1' })
    await client.attempt(send)
    await client.templates.list()
    await client.attempt({ ...send, phoneNumberId: 'pn_2' })
    await client.templates.list({ phoneNumberId: 'pn_2' })
    expect(service.seen.map(({ headers }) => headers['x-phone-number-id'])).toEqual(['pn_1', 'pn_1', 'pn_2', 'pn_2'])
    expect(service.seen[1]?.headers).not.toHaveProperty('idempotency-key')
  })

  it('uses no header with the service’s name, so no prefix matters [C GEN-09]', async () => {
    const { client, requests } = clientOn([accepts()], { phoneNumberId: 'pn_1' })
    await client.attempt(send)
    expect(Object.keys(requests[0]?.headers ?? {}).sort()).toEqual([
      'Accept',
      'Authorization',
      'Content-Type',
      'Idempotency-Key',
      'User-Agent',
      'X-Phone-Number-Id',
    ])
  })

  it('refuses a key that a header would change or lose [C IDEM-01]', async () => {
    const { client, requests } = clientOn([accepts()])
    for (const idempotencyKey of ['', ' ', ' a', 'a ', 'a\nb', 'ä', 'x'.repeat(256)])
      expect(await rejection(client.attempt({ ...send, idempotencyKey }))).toMatchObject({ code: 'options_invalid' })
    expect(requests).toEqual([])
  })

  it('leaves the key out only if the caller passes null [C ERR-04]', async () => {
    const { client, requests } = clientOn([accepts()])
    await client.messages.send(TO, 'hi', { idempotencyKey: null })
    expect(requests[0]?.headers).not.toHaveProperty('Idempotency-Key')
    for (const odd of [{}, { idempotencyKey: 5 }, { idempotencyKey: [] }, { idempotencyKey: {} }])
      expect(await rejection(client.messages.send(TO, 'hi', odd as never))).toMatchObject({ code: 'options_invalid' })
    expect(requests).toHaveLength(1)
  })
})

describe('an acceptance', () => {
  it('is the message itself, with its unknown members [C SEND-16, C GEN-02, C GEN-10]', async () => {
    const message = { ...MESSAGE, wa_message_id: null, mood: 'new', interactive: { kind: 'unheard of' } }
    const { client } = clientOn([says(200, message)])
    expect(await client.messages.send(TO, 'hi', { idempotencyKey: 'k' })).toEqual({
      message,
      status: undefined,
      replayed: false,
      attempts: 1,
    })
  })

  it.each(['SENT', 'sent', 'Warned'])(
    'reads the status %s in lower case and keeps the original [C SEND-17, C GEN-10]',
    async (status) => {
      const { client } = clientOn([says(200, { ...MESSAGE, status })])
      const accepted = await client.attempt(send)
      expect(accepted.status).toBe(status.toLowerCase())
      expect(accepted.message.status).toBe(status)
    },
  )

  it.each([
    ['true', true],
    ['True', true],
    ['false', false],
  ])('reports whether it was a replay: %s [C IDEM-08]', async (value, replayed) => {
    const { client } = clientOn([accepts({ 'idempotency-replayed': value })])
    expect((await client.attempt(send)).replayed).toBe(replayed)
  })

  it('is accepted even if other members are odd, because sending it again would double it [C SEND-16, C IDEM-05]', async () => {
    const { client } = clientOn([says(200, { id: 'msg_1', media_duration_ms: 'long', direction: null })])
    expect((await client.attempt(send)).message.id).toBe('msg_1')
  })
})

it('only means accepted: without a status of the service there is none [C SEND-25]', async () => {
  for (const status of [undefined, null, ''])
    expect((await clientOn([says(200, { ...MESSAGE, status })]).client.attempt(send)).status).toBeUndefined()
})

it('the client has the two endpoints of one number, and nothing that the API lacks [C GEN-03, C GEN-14]', () => {
  const { client } = clientOn([accepts()])
  expect(Object.keys(client)).toEqual(['messages', 'templates', 'attempt'])
  expect(Object.keys(client.messages)).toEqual(['send'])
  expect(Object.keys(client.templates)).toEqual(['list', 'iterate', 'find'])
})

it.each([
  ['no JSON', '<html>ok</html>'],
  ['an empty body', ''],
  ['no id', '{"direction":"OUTBOUND"}'],
  ['a blank id', '{"id":""}'],
  ['no object', '["msg_1"]'],
  ['an envelope', '{"success":true,"data":{"id":"msg_1"}}'],
])('a success that cannot be read has an unknown outcome: %s [C IDEM-07]', async (_, body) => {
  const { client } = clientOn([says(200, body)])
  const error = await rejection(client.attempt(send))
  expect(error).toBeInstanceOf(NoAnswerError)
  expect(error).toMatchObject({ status: 200, outcome: 'unknown', retryable: true, reason: 'unreadable' })
})

it.each([
  ['by Node’s own client', 302, undefined],
  ['by a fetch', 307, fetch],
])('a redirect is not followed %s and sends nothing: %i [C AUTH-07, C ERR-03, F-73]', async (_, status, given) => {
  await using other = await startService(json(200, MESSAGE))
  await using service = await startService((response) => {
    response.writeHead(status, { location: `${other.url}/api/v2/messages` }).end()
  })
  const client = createClient({ baseUrl: service.url, accessToken: TOKEN, fetch: given })
  const error = await rejection(client.attempt(send))
  expect(error).toMatchObject({ status, code: undefined, outcome: 'not_sent', retryable: false })
  expect((error as Error).message).toContain('redirects are not followed')
  expect(other.seen).toEqual([])
})

describe("an emulator's clock", () => {
  it('is adopted only on this machine', async () => {
    const heard: number[] = []
    const onOffset = (ms: number) => heard.push(ms)
    const header = { 'X-Emulator-Clock-Offset': '90000000' }
    await clientOn([accepts(header)], { onOffset, baseUrl: 'http://127.0.0.1:4747' }).client.attempt(send)
    await clientOn([accepts(header)], { onOffset }).client.attempt(send)
    expect(heard).toEqual([90_000_000])
  })

  it('never turns an accepted message into an unknown one if a listener fails [C IDEM-07]', async () => {
    const onOffset = () => {
      throw new Error('clock')
    }
    const replies = [accepts({ 'X-Emulator-Clock-Offset': '1' })]
    const { client } = clientOn(replies, { onOffset, baseUrl: 'http://localhost:4747' })
    expect((await client.attempt(send)).message.id).toBe('msg_1')
  })
})
