import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import type { ApiError } from '../../src/client/index.ts'
import { MESSAGE } from './service.ts'
import { clientOn, rejection, says } from './stub.ts'

const TO = '255712345678'
const keyed = { idempotencyKey: 'order-7781-ready' }
const COOKIE = { 'set-cookie': 'session=kanari', 'x-more': 'yes' }

describe('the raw answer', () => {
  it('of a success has status, headers and the parsed body, unknown members kept [C GEN-10]', async () => {
    const message = { ...MESSAGE, mood: { new: true } }
    const { client } = clientOn([says(200, message, COOKIE)])
    const { raw } = await client.messages.send(TO, 'hi', keyed)
    expect(raw).toMatchObject({ status: 200, headers: { 'x-more': 'yes' }, body: message })
    expect(raw.headers).not.toHaveProperty('set-cookie')
  })

  it('of a page is there as well [C GEN-10]', async () => {
    const { client } = clientOn([says(200, { items: [], total: 3 }, COOKIE)])
    const { raw } = await client.templates.list()
    expect(raw).toMatchObject({ status: 200, headers: { 'x-more': 'yes' }, body: { items: [], total: 3 } })
  })

  it('of a refusal is there on demand, and is printed by nothing [C ERR-02]', async () => {
    const body = {
      code: 'brand_new',
      message: 'no',
      hint: 'look here',
      count: 3,
      detail: [{ input: 'x', ctx: {}, a: 1 }],
    }
    const { client } = clientOn([says(400, body, COOKIE)])
    const error = (await rejection(client.messages.send(TO, 'hi', keyed))) as ApiError
    expect(error.raw).toMatchObject({ status: 400, headers: { 'x-more': 'yes' } })
    expect(error.raw?.body).toEqual({ ...body, detail: [{ a: 1 }] })
    expect(error.raw?.headers).not.toHaveProperty('set-cookie')
    expect(inspect(error, { depth: 9 }) + JSON.stringify(error) + error.stack).not.toContain('look here')
  })

  it('of a body that is no JSON is its text [C ERR-02]', async () => {
    const { client } = clientOn([says(200, '<html>ok</html>')])
    const error = (await rejection(client.messages.send(TO, 'hi', { ...keyed, maxRetries: 0 }))) as ApiError
    expect(error.raw).toMatchObject({ status: 200, body: '<html>ok</html>' })
  })

  it('is undefined if there was none [C ERR-02]', async () => {
    const { client } = clientOn([() => Promise.reject(new TypeError('fetch failed'))])
    expect(await rejection(client.messages.send(TO, 'hi', keyed))).toMatchObject({ raw: undefined })
  })
})
