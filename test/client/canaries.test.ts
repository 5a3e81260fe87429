import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { ApiError } from '../../src/client/client.ts'
import { audio, image } from '../../src/service/interactive.ts'
import { oneTimeCode } from '../../src/service/one-time-code.ts'
import { template } from '../../src/service/template.ts'
import { clientOn, hangs, rejection, says } from './stub.ts'

const TOKEN = 'CANARYq1w2e3r4t5y6u7i8o9p0a1s2d3f4g5h6j7k8l9z0x1c2'
const PHONE = '255798765432'
const CODE = '73kanari19'
// Quotes, a line break and a sign outside ASCII: an echo writes them as escapes.
const TEXT = 'Habari "Asha", siri yangu ni kanarinjano\nna <kanarikijani> & \'kanarinyeupe\' 👋 kanarinyeusi'

/** Every way in which a value is usually printed, the raw answer and every cause too. */
function printed(value: unknown): string {
  const ways = [inspect(value, { depth: 20, showHidden: true, getters: true }), String(value), JSON.stringify(value)]
  for (let at: unknown = value; at instanceof Error; at = at.cause) {
    ways.push(at.message, at.stack ?? '', JSON.stringify(at))
    if (at instanceof ApiError) ways.push(at.detail.join(), at.phoneNumberIds.join())
  }
  return ways.join('\n')
}

function expectClean(value: unknown): void {
  const text = printed(value)
  for (let at = 0; at + 8 <= TOKEN.length; at++) expect(text).not.toContain(TOKEN.slice(at, at + 8))
  expect(text).not.toContain(PHONE)
  expect(text).not.toMatch(/kanari|798.765/)
}

const html = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;').replaceAll("'", '&#39;')
const ascii = (text: string) =>
  text.replaceAll(/[^\x20-\x7e]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)

interface Echoed {
  readonly body: string
  readonly token: string
}

/** The ways in which a service, or a proxy before it, may echo a request. */
const ECHOES: readonly (readonly [string, (sent: Echoed) => unknown])[] = [
  [
    'in the input of a detail',
    ({ body }) => ({ detail: [{ loc: ['body'], msg: 'wrong', type: 't', input: JSON.parse(body), ctx: { body } }] }),
  ],
  [
    'in the words of a detail',
    ({ body, token }) => ({ detail: [{ loc: ['body', body], msg: `wrong: ${body} ${token}`, type: body }] }),
  ],
  [
    'in the message',
    ({ body, token }) => ({ code: 'validation_error', message: `could not read ${body} of Bearer ${token}` }),
  ],
  ['in escapes', ({ body }) => ({ message: ascii(body), error: ascii(JSON.stringify(body)) })],
  ['in a code', ({ body, token }) => ({ code: `${leaves(JSON.parse(body)).join(' ')} ${token}`, message: 'no' })],
  [
    'as members and numbers',
    ({ body }) => ({ message: 'no', sent: JSON.parse(body), phone: Number(PHONE), [body]: PHONE }),
  ],
  ['as people write a number', () => ({ code: 'x', message: `+255 798-765 432 and (255) 798.765.432 do not exist` })],
  ['as a page', ({ body, token }) => `<html><pre>${html(body)} ${token}</pre></html>`],
  ['as a line', ({ body, token }) => `upstream said no to ${body} with ${token}`],
  ['as a line that is cut', ({ body, token }) => `${'x'.repeat(400)} ${token} ${body}`.slice(0, 520)],
  ['as escaped HTML in a line', ({ body }) => `no to ${html(body)}`],
]

function leaves(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(leaves) : []
}

const CONTENTS = [
  ['a text', TEXT],
  ['a code', oneTimeCode('login_code', 'sw', CODE)],
  ['a template', template('order', 'sw', { header: TEXT, body: [CODE, TEXT], buttons: [{ payload: TEXT }] })],
  ['an address that is signed', audio('https://cdn.example.com/a.ogg?signature=kanarikanarikanari')],
  ['a caption', image('https://cdn.example.com/a.jpg?sig=kanariii', { caption: TEXT })],
] as const

/** A client whose service echoes the request. */
function echoing(status: number, echo: (sent: Echoed) => unknown) {
  const on = clientOn(
    [() => says(status, echo({ body: on.requests.at(-1)?.body ?? '{}', token: TOKEN }), { 'x-echo': TOKEN })()],
    { accessToken: TOKEN, maxRetries: 0 },
  )
  return on.client
}

describe.each(ECHOES)('data that the service returns %s', (_, echo) => {
  it.each(CONTENTS)(
    'is in no error, however it is printed: %s [C OTP-06, C AUTH-07, F-85, F-86, F-87]',
    async (_, content) => {
      for (const status of [422, 200]) {
        const client = echoing(status, echo)
        const error = await rejection(client.messages.send(PHONE, content, { idempotencyKey: 'k' }))
        expect(error).toBeInstanceOf(ApiError)
        expectClean(error)
      }
    },
  )
})

it('no failure without an answer shows them [C OTP-06, C AUTH-07, F-83]', async () => {
  const says = (init: RequestInit | undefined) => `fetch failed: ${JSON.stringify(init)}`
  const throwing: typeof fetch = (_, init) => {
    throw new TypeError(says(init), {
      cause: Object.assign(new Error(says(init)), { code: `E ${init?.body as string}`, init }),
    })
  }
  for (const content of CONTENTS.map(([, one]) => one)) {
    const failing = [
      clientOn([hangs], { accessToken: TOKEN, maxRetries: 0 }),
      clientOn([], { accessToken: TOKEN, maxRetries: 0, fetch: throwing }),
    ]
    for (const { client } of failing)
      expectClean(await rejection(client.messages.send(PHONE, content, { idempotencyKey: 'k' })))
    const { client } = clientOn([hangs], { accessToken: TOKEN })
    const signal = AbortSignal.abort(new Error(`${PHONE} ${CODE} ${TEXT} ${TOKEN}`))
    expectClean(await rejection(client.messages.send(PHONE, content, { idempotencyKey: 'k', signal })))
  }
})

it.each([
  ['by an emulator on this machine', 'http://127.0.0.1:4747', true],
  ['by what is no emulator', 'http://127.0.0.1:4747', false],
  ['by what says so elsewhere', 'https://service.example', true],
])('the words of an answer stay only if an emulator wrote them: %s [C ERR-01, F-85]', async (_, baseUrl, header) => {
  const message = 'The last message came more than 24 hours ago.'
  const headers = header ? { 'X-Emulator-Clock-Offset': '0' } : {}
  const { client } = clientOn([says(409, { code: 'outside_messaging_window', message }, headers)], { baseUrl })
  const error = (await rejection(client.messages.send(PHONE, 'hours', { idempotencyKey: 'k' }))) as Error
  expect(error.message.includes(message)).toBe(header && baseUrl.startsWith('http:'))
})

it.each(['7', '42', '0a', '4.7', 'a+b'])(
  'a short code is hidden as a separate word, and the text around it stays: %s [C OTP-06]',
  async (code) => {
    const message = `invalid_one_time_code: the code ${code} must have 1 to 15 characters, not 4200`
    const client = echoing(422, () => ({ code: 'invalid_one_time_code', message }))
    const send = client.messages.send(PHONE, oneTimeCode('login_code', 'sw', code), { idempotencyKey: 'k' })
    const error = (await rejection(send)) as ApiError
    expect(error.code).toBe('invalid_one_time_code')
    expect(error.message).toContain('the code [code withheld] must have 1 to 15 characters, not 4200')
  },
)

it('a token or a text that an answer or the cut has shortened is hidden [C AUTH-07, F-85]', async () => {
  const cutByAnswer = echoing(500, ({ token }) => `${token.slice(0, 30)} ${TEXT.slice(0, 50)}`)
  expectClean(await rejection(cutByAnswer.messages.send(PHONE, TEXT, { idempotencyKey: 'k' })))
  // Twelve characters of the third copy are left.
  const long = `kanari${'x'.repeat(1_011)}`
  const cutHere = echoing(500, () => `${long} ${long} ${long}`)
  expectClean(await rejection(cutHere.messages.send(PHONE, long, { idempotencyKey: 'k' })))
})

describe('a code that an answer repeats in another form', () => {
  const code = '004711'
  const each = (form: (character: string) => string, between = '') => Array.from(code, form).join(between)
  const base64 = (text: string) => Buffer.from(text).toString('base64')
  const unicode = (character: string) => `\\u00${character.charCodeAt(0).toString(16)}`
  const percent = (character: string) => `%${character.charCodeAt(0).toString(16)}`

  it.each([
    ['with blanks', each((character) => character, ' ')],
    ['in groups', '004 711'],
    ['with other blanks', '004\u00a0\u200a711'],
    ['with hyphens', '00-47-11'],
    ['percent-encoded', each(percent)],
    ['percent-encoded in part', `0%304%37${code.slice(4)}`],
    ['percent-encoded twice', each(percent).replaceAll('%', '%25')],
    ['with encoded blanks', '004%20711'],
    ['in the words of HTML', each((character) => `&#${character.charCodeAt(0)};`)],
    ['in escapes of JSON', each(unicode)],
    ['in base64', base64(code)],
    ['in base64 behind one byte', base64(`"${code}" is wrong`)],
    ['in base64 behind two bytes', base64(`: ${code} is wrong`)],
    ['in base64 of the request', base64(JSON.stringify({ type: 'text', text: code }))],
    ['in base64 for addresses', Buffer.from(`?>${code}?>`).toString('base64url')],
    ['in hexadecimal', Buffer.from(code).toString('hex').toUpperCase()],
  ])('is hidden: %s [C OTP-06]', async (_, form) => {
    for (const message of [`wrong: ${form}, try again`, { nested: form }, form]) {
      const client = echoing(422, () => ({
        code: 'invalid_one_time_code',
        message,
        detail: [{ msg: form, input: form }],
      }))
      const send = client.messages.send(PHONE, oneTimeCode('login_code', 'sw', code), { idempotencyKey: 'k' })
      const text = printed(await rejection(send))
      expect(text).not.toContain(form)
      if (typeof message === 'string') expect(text).toContain('[code withheld]')
    }
  })

  it('costs no more for a code of blanks, or of signs that expressions use [C OTP-06]', async () => {
    for (const odd of ['. . . . . . . .', '+._-+._-+._-+._', '((((((((', '%%%%%%%%']) {
      const client = echoing(422, () => ({ message: odd[0]?.repeat(5_000) }))
      const send = client.messages.send(PHONE, oneTimeCode('login_code', 'sw', odd), { idempotencyKey: 'k' })
      expect(await rejection(send)).toBeInstanceOf(ApiError)
    }
  })
})
