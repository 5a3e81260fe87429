import { describe, expect, it } from 'vitest'
import { botOn } from '../bot.ts'
import { headersOf, MESSAGE, SECONDS, signatureOf, vector, VECTORS } from '../signing.ts'
import { manualTimers } from '../time.ts'
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
  /** The lines of the log; none by default. */
  readonly reason?: string
}

/** The requests that every adapter gets, and the answers that every adapter gives. */
const CASES: Case[] = [
  { title: 'a delivery [R DEL-01, F-39]', send: ({ post }) => post(), answer: ACCEPTED },
  {
    title: 'a delivery that came before [R DEL-01, F-23]',
    send: async ({ post }) => post().then(() => post()),
    answer: words(200, '{"status":"duplicate"}'),
  },
  {
    title: 'a timestamp twice [R SIG-08, F-2]',
    send: ({ post }) => post({ 'x-service-timestamp': [String(SECONDS), String(SECONDS)] }),
    answer: UNAUTHORIZED,
    reason: 'repeated',
  },
  {
    title: 'signatures that a proxy joined [R SIG-08, F-3]',
    send: ({ post }) => post({ 'x-service-signature': `${signatureOf(MESSAGE)}, ${signatureOf(MESSAGE)}` }),
    answer: UNAUTHORIZED,
    reason: 'repeated',
  },
  {
    title: 'a delivery id twice [R SIG-09, F-30]',
    send: ({ post }) => post({ 'x-service-delivery': ['a', 'b'] }),
    answer: ACCEPTED,
    reason: 'the delivery id is repeated',
  },
  {
    title: 'GET [R SIG-08, F-39]',
    send: ({ port }) => ask(port, PATH, { method: 'GET', headers: headersOf(MESSAGE) }),
    answer: NOT_ALLOWED,
  },
  {
    title: 'HEAD [R SIG-08, F-39]',
    send: ({ port }) => ask(port, PATH, { method: 'HEAD', headers: headersOf(MESSAGE) }),
    answer: { ...NOT_ALLOWED, body: '' },
  },
  {
    title: 'an encoded body [R SIG-02, F-35]',
    send: ({ post }) => post({ 'content-encoding': 'gzip' }),
    answer: ENCODED,
  },
  {
    title: 'the limit [R SIG-02, F-34]',
    send: ({ post }) => post(headersOf(Buffer.alloc(LIMIT)), Buffer.alloc(LIMIT)),
    answer: ACCEPTED,
  },
  {
    title: 'more than the limit, declared and never sent [R SIG-02, F-34]',
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
    title: 'more than the limit, in chunks without an end [R SIG-02, F-34]',
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
    title: 'a body that does not come [R SIG-02, F-37]',
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
    title: 'a body in chunks [R SIG-02]',
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
    const on = botOn({ ...o, overrides: { timers: time.timers } })
    const port = await start(on.bot)
    const post: Host['post'] = (changed = {}, body = MESSAGE) =>
      ask(port, PATH, { headers: { ...headersOf(body), ...changed }, body })
    return { ...on, port, time, post }
  }

  it.each(CASES.map((one) => [one.title, one] as const))('%s', async (_, { send, answer, reason }) => {
    const host = await hostOn()
    expect(await send(host)).toMatchObject(answer)
    expect(host.time.waiting(DEADLINE_MS)).toBe(0)
    if (reason !== undefined) expect(host.warnings()).toMatchObject([{ about: { reason } }])
  })

  it('the exact bytes [R SIG-01, F-10, F-11]', async () => {
    const vectors = VECTORS.filter(({ body }) => body.length < LIMIT / 2)
    const { post } = await hostOn({ options: { signingSecret: [...new Set(vectors.map(({ secret }) => secret))] } })
    for (const { name, body, signature } of vectors) {
      const headers = { ...headersOf(body, { delivery: name }), 'x-service-signature': signature }
      expect(await post(headers, body), name).toMatchObject(ACCEPTED)
    }
  })

  it('a body of 300,000 parts of one byte takes the room of its bytes alone [R SIG-02, F-34]', async () => {
    const { port } = await hostOn()
    const wire = await dial(port)
    const body = Buffer.alloc(300_000, 'x')
    wire.write(head(PATH, { ...headersOf(body), 'transfer-encoding': 'chunked' }))
    wire.write('1\r\nx\r\n'.repeat(body.length), '0\r\n\r\n')
    expect(await wire.answer()).toMatchObject(ACCEPTED)
  })

  it('a caller who disconnects in the middle leaves no row and no timer [R DEL-02, F-38]', async () => {
    const { port, time, counts, line } = await hostOn()
    const wire = await dial(port)
    wire.write(head(PATH, { ...headersOf(MESSAGE), 'content-length': MESSAGE.length }), MESSAGE.subarray(0, 20))
    await time.set(DEADLINE_MS)
    wire.socket.resetAndDestroy()
    await line(({ about }) => about['reason'] === 'aborted')
    expect((await counts()).deliveries).toEqual({})
    expect(time.waiting(DEADLINE_MS)).toBe(0)
  })

  it('a store that cannot write [R DEL-02, F-50]', async () => {
    const { post } = await hostOn({
      around: (store) => ({ ...store, accept: () => Promise.reject(new Error('SQLITE_FULL')) }),
    })
    expect(await post()).toMatchObject(words(503, '{"error":"unavailable"}'))
  })

  it('while it is stopping, stores and answers on a connection that closes [R DEL-02, F-58]', async () => {
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
