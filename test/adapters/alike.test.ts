import { describe, expect, it } from 'vitest'
import { botOn } from '../receive/bot.ts'
import { headersOf, MESSAGE, SECONDS, signatureOf, vector, VECTORS } from '../receive/signing.ts'
import { manualTimers } from '../receive/time.ts'
import { HOSTS, PATH } from './hosts.ts'
import { type Answered, ask, dial, head } from './http.ts'

const LIMIT = 1_048_576
const DEADLINE_MS = 10_000

const words = (status: number, body: string, headers: Record<string, string> = {}) => ({
  status,
  body,
  headers: { 'content-type': 'application/json', ...headers },
})
const CLOSE = { connection: 'close' }
const ACCEPTED = words(200, '{"status":"accepted"}')
const UNAUTHORIZED = words(401, '{"error":"unauthorized"}')
const NOT_ALLOWED = words(405, '{"error":"method_not_allowed"}', { allow: 'POST' })
const TIMEOUT = words(408, '{"error":"timeout"}', CLOSE)
const TOO_LARGE = words(413, '{"error":"too_large"}', CLOSE)
const ENCODED = words(415, '{"error":"unsupported_encoding"}')

interface Host {
  readonly port: number
  readonly time: ReturnType<typeof manualTimers>
  post(changed?: Record<string, string | string[] | undefined>, body?: Uint8Array): Promise<Answered>
}

interface Case {
  readonly title: string
  send(host: Host): Promise<Answered>
  readonly answer: object
  /** What is in the log beside it; nothing where it says nothing. */
  readonly reason?: string
}

/** What every adapter is asked, and what every adapter answers. */
const CASES: Case[] = [
  { title: 'F-39 R DEL-01 a delivery', send: ({ post }) => post(), answer: ACCEPTED },
  {
    title: 'F-23 R DEL-01 a delivery that came before',
    send: async ({ post }) => post().then(() => post()),
    answer: words(200, '{"status":"duplicate"}'),
  },
  {
    title: 'F-1 R SIG-08 no signature',
    send: ({ post }) => post({ 'x-service-signature': undefined }),
    answer: UNAUTHORIZED,
    reason: 'missing',
  },
  {
    title: 'F-2 R SIG-08 a timestamp twice',
    send: ({ post }) => post({ 'x-service-timestamp': [String(SECONDS), String(SECONDS)] }),
    answer: UNAUTHORIZED,
    reason: 'repeated',
  },
  {
    title: 'F-3 R SIG-08 signatures that a proxy joined',
    send: ({ post }) => post({ 'x-service-signature': `${signatureOf(MESSAGE)}, ${signatureOf(MESSAGE)}` }),
    answer: UNAUTHORIZED,
    reason: 'repeated',
  },
  {
    title: 'F-16 R SIG-05 junk behind the time',
    send: ({ post }) => post({ 'x-service-timestamp': `${SECONDS}junk` }),
    answer: UNAUTHORIZED,
    reason: 'malformed',
  },
  {
    title: 'F-15 R SIG-05 the future',
    send: ({ post }) => post(headersOf(MESSAGE, { timestamp: SECONDS + 3_600 })),
    answer: UNAUTHORIZED,
  },
  {
    title: 'F-12 R SIG-04 the secret of somebody else',
    send: ({ post }) => post(headersOf(MESSAGE, { secret: 'whsec_other' })),
    answer: UNAUTHORIZED,
    reason: 'mismatch',
  },
  {
    title: 'F-30 R SIG-09 a delivery id twice',
    send: ({ post }) => post({ 'x-service-delivery': ['a', 'b'] }),
    answer: ACCEPTED,
    reason: 'the delivery id is repeated',
  },
  ...['GET', 'PUT', 'DELETE', 'OPTIONS'].map((method) => ({
    title: `F-39 R SIG-08 ${method}`,
    send: ({ port }: Host) => ask(port, PATH, { method, headers: headersOf(MESSAGE) }),
    answer: NOT_ALLOWED,
  })),
  {
    title: 'F-39 R SIG-08 HEAD',
    send: ({ port }) => ask(port, PATH, { method: 'HEAD', headers: headersOf(MESSAGE) }),
    answer: { ...NOT_ALLOWED, body: '' },
  },
  {
    title: 'F-35 R SIG-02 an encoded body',
    send: ({ post }) => post({ 'content-encoding': 'gzip' }),
    answer: ENCODED,
  },
  {
    title: 'F-45 R SIG-01 what proxies add, and another host',
    send: ({ post }) => post({ host: 'evil.example', 'x-forwarded-host': 'x', 'x-forwarded-proto': 'http' }),
    answer: ACCEPTED,
  },
  {
    title: 'F-34 R SIG-02 the limit',
    send: ({ post }) => post(headersOf(Buffer.alloc(LIMIT)), Buffer.alloc(LIMIT)),
    answer: ACCEPTED,
  },
  {
    title: 'F-34 R SIG-02 more than the limit, declared and never sent',
    async send({ port }) {
      const wire = await dial(port)
      wire.write(head(PATH, { ...headersOf(MESSAGE), 'content-length': LIMIT + 1 }))
      const answer = await wire.answer()
      await wire.rest()
      return answer
    },
    answer: TOO_LARGE,
    reason: 'too_large',
  },
  {
    title: 'F-34 R SIG-02 more than the limit, in chunks without an end',
    async send({ port }) {
      const wire = await dial(port)
      const chunk = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(0x10000), Buffer.from('\r\n')])
      wire.write(head(PATH, { ...headersOf(MESSAGE), 'transfer-encoding': 'chunked' }))
      for (let sent = 0; sent <= LIMIT; sent += 0x10000) wire.write(chunk)
      const answer = await wire.answer()
      await wire.rest()
      return answer
    },
    answer: TOO_LARGE,
    reason: 'too_large',
  },
  {
    title: 'F-37 R SIG-02 a body that does not come',
    async send({ port, time }) {
      const wire = await dial(port)
      wire.write(head(PATH, { ...headersOf(MESSAGE), 'content-length': MESSAGE.length }), MESSAGE.subarray(0, 5))
      await time.set(DEADLINE_MS)
      time.pass(DEADLINE_MS)
      const answer = await wire.answer()
      await wire.rest()
      return answer
    },
    answer: TIMEOUT,
    reason: 'timeout',
  },
  {
    title: 'R SIG-02 a body in chunks',
    async send({ port }) {
      const wire = await dial(port)
      const { body } = vector('spaced-json')
      wire.write(head(PATH, { ...headersOf(body), 'transfer-encoding': 'chunked' }))
      for (const byte of body) wire.write('1\r\n', Buffer.of(byte), '\r\n')
      wire.write('0\r\n\r\n')
      return wire.answer()
    },
    answer: ACCEPTED,
  },
]

describe.each(Object.entries(HOSTS))('%s', (_, start) => {
  async function hostOn(o: Parameters<typeof botOn>[0] = {}) {
    const time = manualTimers()
    const on = botOn({ ...o, internals: { timers: time.timers } })
    const port = await start(on.bot)
    const post: Host['post'] = (changed = {}, body = MESSAGE) =>
      ask(port, PATH, { headers: { ...headersOf(body), ...changed }, body })
    return { ...on, port, time, post }
  }

  it.each(CASES.map((one) => [one.title, one] as const))('%s', async (_, { send, answer, reason }) => {
    const host = await hostOn()
    expect(await send(host)).toMatchObject(answer)
    expect(host.time.waiting(DEADLINE_MS)).toBe(0)
    if (reason !== undefined) expect(host.told()).toMatchObject([{ about: { reason } }])
  })

  it.each(VECTORS.map((one) => [one.name, one] as const))(
    'R SIG-01 F-10 F-11 the exact bytes: %s',
    async (_, { body, secret, signature }) => {
      const { post } = await hostOn({ options: { signingSecret: secret } })
      expect(await post({ ...headersOf(body), 'x-service-signature': signature }, body)).toMatchObject(ACCEPTED)
    },
  )

  it('F-38 R DEL-02 a caller who goes away in the middle leaves no row and no timer', async () => {
    const { port, time, counts, line } = await hostOn()
    const wire = await dial(port)
    wire.write(head(PATH, { ...headersOf(MESSAGE), 'content-length': MESSAGE.length }), MESSAGE.subarray(0, 20))
    await time.set(DEADLINE_MS)
    wire.socket.resetAndDestroy()
    await line(({ about }) => about['reason'] === 'aborted')
    expect((await counts()).deliveries).toEqual({})
    expect(time.waiting(DEADLINE_MS)).toBe(0)
  })

  it('F-50 R DEL-02 a store that cannot write', async () => {
    const { post } = await hostOn({
      around: (store) => ({ ...store, accept: () => Promise.reject(new Error('SQLITE_FULL')) }),
    })
    expect(await post()).toMatchObject(words(503, '{"error":"unavailable"}'))
  })

  it('F-58 R DEL-02 while it stops: stored and answered, on a connection that closes', async () => {
    let end = () => {}
    const begun = Promise.withResolvers<void>()
    const { bot, port, post } = await hostOn({
      routes: (routes) =>
        routes.otherwise(async () => {
          begun.resolve()
          await new Promise<void>((resolve) => {
            end = resolve
          })
        }),
    })
    expect(await post()).toMatchObject(ACCEPTED)
    await begun.promise
    const wire = await dial(port)
    const stopped = bot.stop()
    const late = headersOf(MESSAGE, { delivery: 'late', timestamp: SECONDS + 1 })
    wire.write(head(PATH, { ...late, 'content-length': MESSAGE.length }), MESSAGE)
    expect(await wire.answer()).toMatchObject({ ...ACCEPTED, headers: CLOSE })
    end()
    await stopped
  })
})
