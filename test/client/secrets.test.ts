import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { createClient } from '../../src/client/index.ts'
import { accepts, clientOn, rejection, says } from './stub.ts'

const TOKEN = 'CANARYq1w2e3r4t5y6u7i8o9p0a1s2d3f4g5h6j7k8l9z0x1c2'
const PIECES = Array.from({ length: TOKEN.length - 7 }, (_, at) => TOKEN.slice(at, at + 8))

/** Every way in which a value is usually printed. */
function printed(value: unknown): string {
  const ways = [inspect(value, { depth: 20, showHidden: true, getters: true }), String(value), JSON.stringify(value)]
  for (let at: unknown = value; at instanceof Error; at = at.cause) ways.push(at.message, at.stack ?? '')
  return ways.join('\n')
}

function expectClean(value: unknown): void {
  const text = printed(value)
  expect(PIECES.filter((piece) => text.includes(piece))).toEqual([])
}

const send = { body: '{}', idempotencyKey: 'k' }
const echoing = (init?: RequestInit) => `denied: ${JSON.stringify(init?.headers)}`

describe('the token', () => {
  it('is not in a client, whatever prints it [C AUTH-07]', () => {
    const { client } = clientOn([accepts()], { accessToken: TOKEN })
    expectClean(client)
    expectClean(client.messages)
  })

  it.each([
    ['a flat error', 400, { code: `x${TOKEN}`, message: `Bearer ${TOKEN} is odd`, phone_number_ids: [TOKEN] }],
    ['a detail', 422, { detail: [{ loc: ['header', TOKEN], msg: `${TOKEN} is odd` }] }],
    ['a detail that is cut', 422, { detail: [{ loc: ['body'], msg: 'x'.repeat(480) + TOKEN }] }],
    ['a piece of it', 401, { code: 'x', message: `${TOKEN.slice(0, 16)} and ${TOKEN.slice(20, 36)} are odd` }],
    ['a line that is cut', 500, 'x'.repeat(980) + TOKEN],
    ['a text', 500, `upstream got Authorization: Bearer ${TOKEN}`],
    ['a text that is cut at its end', 500, 'x'.repeat(480) + TOKEN],
    ['a text in escapes', 400, `{"message":"\\u0043${TOKEN.slice(1)}"}`],
    ['a success without an id', 200, { token: TOKEN }],
  ])('is not in an error, though the service repeats it: %s [C AUTH-07]', async (_, status, body) => {
    const { client } = clientOn([says(status, body)], { accessToken: TOKEN, maxRetries: 0 })
    expectClean(await rejection(client.attempt(send)))
    expectClean(await rejection(client.messages.send('255712345678', 'hi', { idempotencyKey: 'k' })))
  })

  it.each(['emulator_q1w2e3r4t5y6u7i8o9p0a1s2d3f4g5h6', 'template-token-of-the-shop-0123456789abcdef', 'template'])(
    'is no word of prose: what is shorter than 16 characters of it stays, as in %s [C AUTH-07]',
    async (token) => {
      const message = 'The emulator was told that the template is odd'
      const { client } = clientOn([says(400, { message })], { accessToken: token, maxRetries: 0 })
      expect(((await rejection(client.attempt(send))) as Error).message).toContain(message)
    },
  )

  it('is not in an error, though fetch throws it [C AUTH-07]', async () => {
    const client = createClient({
      baseUrl: 'https://service.example',
      accessToken: TOKEN,
      fetch: (_, init) => {
        const cause = Object.assign(new Error(echoing(init)), { code: 'UND_ERR', request: init })
        throw new TypeError(echoing(init), { cause })
      },
    })
    const error = await rejection(client.attempt(send))
    expect(error).toMatchObject({ outcome: 'unknown', cause: { code: 'UND_ERR' } })
    expectClean(error)
  })

  it('is not in an error about itself [C AUTH-07]', async () => {
    for (const odd of [`${TOKEN}\n`, `${TOKEN}…`, `Bearer ${TOKEN}`]) {
      expectClean(await rejection((async () => createClient({ baseUrl: 'https://s.example', accessToken: odd }))()))
      const { client } = clientOn([accepts()], { accessToken: () => odd })
      expectClean(await rejection(client.attempt(send)))
    }
  })
})

describe('a message', () => {
  it('its text and recipient are in no error of the client [C ERR-01]', async () => {
    for (const reply of [says(500, {}), says(422, {}), says(200, ''), () => Promise.reject(new Error('x'))]) {
      const { client } = clientOn([reply], { maxRetries: 0 })
      const error = await rejection(client.messages.send('255712345678', 'my secret diary', { idempotencyKey: 'k' }))
      expect(printed(error)).not.toMatch(/diary|255712345678/)
    }
  })
})
