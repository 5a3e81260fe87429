import { describe, expect, it } from 'vitest'
import { createBot, SwitchhookError } from 'switchhook'
import { webhook } from 'switchhook/fetch'
import { botOn } from '../bot.ts'
import { headersOf, MESSAGE, SECRET, ULID, vector, VECTORS } from '../signing.ts'
import { manualTimers } from '../time.ts'
import { bytesIn, chunksOf, endlessBody, openBody, requestOf, shown } from './fetch.ts'

const LIMIT = 1_048_576
const DEADLINE_MS = 10_000
const JSON_TYPE = { 'content-type': 'application/json' }
const CLOSING = { ...JSON_TYPE, connection: 'close' }
const ACCEPTED = { status: 200, headers: JSON_TYPE, body: '{"status":"accepted"}' }
const DUPLICATE = { status: 200, headers: JSON_TYPE, body: '{"status":"duplicate"}' }
const UNAUTHORIZED = { status: 401, headers: JSON_TYPE, body: '{"error":"unauthorized"}' }
const TIMEOUT = { status: 408, headers: CLOSING, body: '{"error":"timeout"}' }
const TOO_LARGE = { status: 413, headers: CLOSING, body: '{"error":"too_large"}' }
const PARSED = { status: 500, headers: JSON_TYPE, body: '{"error":"body_already_parsed"}' }
const UNAVAILABLE = { status: 503, headers: JSON_TYPE, body: '{"error":"unavailable"}' }

/** A started bot behind the adapter, whose timers a test moves. */
async function receiving(o: Parameters<typeof botOn>[0] = {}) {
  const time = manualTimers()
  const on = botOn({ ...o, overrides: { timers: time.timers } })
  await on.bot.start()
  const receive = webhook(on.bot)
  return {
    ...on,
    timers: time,
    give: (request: Request) => receive(request).then(shown),
    /** How many deliveries are stored, in any state. */
    rows: async () => Object.values((await on.counts()).deliveries).reduce((sum, count) => sum + count, 0),
  }
}

describe('the table of answers', () => {
  it('a handler gets the delivery [R DEL-01]', async () => {
    const heard: unknown[] = []
    const { give, until } = await receiving({
      routes: (routes) =>
        routes.otherwise((ctx) => void heard.push([ctx.message.text, ctx.event.name, ctx.event.deliveryId])),
    })
    await give(requestOf(MESSAGE))
    await until('items', 'done', 1)
    expect(heard).toEqual([['Habari', 'message.received', ULID]])
  })

  it.each(['gzip', 'br', 'gzip, gzip'])('an encoded body: 415, unread: %s [R SIG-02, F-35]', async (encoding) => {
    const { give } = await receiving()
    const request = requestOf(openBody().stream, { headers: { ...headersOf(MESSAGE), 'content-encoding': encoding } })
    expect(await give(request)).toEqual({ status: 415, headers: JSON_TYPE, body: '{"error":"unsupported_encoding"}' })
    expect(request.bodyUsed).toBe(false)
  })

  it('tells observe() whether a 503 means that the delivery could not be stored, or not verified without its secret [R DEL-02, F-50]', async () => {
    let secret: string | undefined
    const { bot, give, warnings, time } = await receiving({
      around: (store) => ({ ...store, accept: () => Promise.reject(new Error('SQLITE_FULL')) }),
      options: {
        signingSecret: () => {
          if (secret === undefined) throw new Error('the vault sleeps')
          return secret
        },
      },
    })
    const alarms: unknown[] = []
    bot.observe({ alarm: ({ reason }) => alarms.push(reason) })
    expect(await give(requestOf(MESSAGE))).toEqual(UNAVAILABLE)
    secret = SECRET
    time.now += 1_000
    expect(await give(requestOf(MESSAGE))).toEqual(UNAVAILABLE)
    expect(alarms).toEqual(['secrets_unavailable', 'store_unavailable'])
    expect(warnings().map(({ message }) => message)).toEqual([
      expect.stringContaining('the signing secrets are not known yet'),
      expect.stringContaining('could not be verified'),
      expect.stringContaining('could not be stored'),
    ])
  })

  it('has 503 before the start and after the stop, and the log contains the reason [R DEL-02]', async () => {
    const on = botOn()
    const receive = webhook(on.bot)
    const give = () => receive(requestOf(MESSAGE)).then(shown)
    expect(await give()).toEqual(UNAVAILABLE)
    expect(on.warnings()).toMatchObject([{ level: 'error', message: expect.stringContaining('bot.start()') }])
    await on.bot.start()
    expect(await give()).toEqual(ACCEPTED)
    await on.bot.stop()
    expect(await give()).toEqual(UNAVAILABLE)
  })

  it('does not apply to a value that is not a bot, which is refused by name when it is mounted [R SIG-08]', () => {
    expect(() => webhook({})).toThrow(SwitchhookError)
    expect(() => webhook({})).toThrow(/createBot\(\)/)
    expect(webhook(createBot())).toBeTypeOf('function')
  })

  it.each(['/', '/webhooks/messages/below?x=1', '/stripe'])(
    'applies to every request that it gets, whatever the path: %s [F-39]',
    async (path) => {
      const { give } = await receiving()
      expect(await give(requestOf(MESSAGE, { path }))).toEqual(ACCEPTED)
    },
  )
})

describe('the exact bytes', () => {
  it.each(VECTORS.map((one) => [one.name, one] as const))(
    'verify whole and in chunks: %s [R SIG-01, F-10, F-11]',
    async (_, { body, secret, signature }) => {
      const { give, rows } = await receiving({ options: { signingSecret: secret } })
      const headers = { ...headersOf(body), 'x-service-signature': signature }
      expect(await give(requestOf(body, { headers }))).toEqual(ACCEPTED)
      const size = body.length < 10_000 ? 1 : 60_000
      expect(await give(requestOf(chunksOf(body, size), { headers }))).toEqual(DUPLICATE)
      expect(await rows()).toBe(1)
    },
  )

  it('are taken from chunks that are views into larger buffers [R SIG-02, F-11]', async () => {
    const { give } = await receiving()
    const around = Buffer.concat([Buffer.from('xx'), MESSAGE, Buffer.from('yy')])
    const view = new Uint8Array(around.buffer, around.byteOffset + 2, MESSAGE.length)
    const stream = openBody()
    stream.put(view.subarray(0, 7), new Uint8Array(0), view.subarray(7))
    stream.end()
    expect(await give(requestOf(stream.stream, { headers: headersOf(MESSAGE) }))).toEqual(ACCEPTED)
  })

  it('a request without a body has an empty one [R SIG-02, F-11]', async () => {
    const { give } = await receiving()
    expect(await give(requestOf(null, { headers: headersOf(Buffer.alloc(0)) }))).toEqual(ACCEPTED)
  })

  it.each(['signature', 'timestamp'])('a comma is a repeat: %s [R SIG-08, F-2]', async (name) => {
    const { give, warnings } = await receiving()
    const request = requestOf(MESSAGE)
    const header = `x-service-${name}`
    request.headers.append(header, request.headers.get(header) ?? '')
    expect(await give(request)).toEqual(UNAUTHORIZED)
    expect(warnings()).toMatchObject([{ about: { reason: 'repeated' } }])
  })

  it.each(['event', 'delivery'])('a repeat of an unsigned header is quarantined: %s [R SIG-09, F-2]', async (name) => {
    const { give, until } = await receiving()
    const request = requestOf(MESSAGE)
    request.headers.append(`x-service-${name}`, 'again')
    expect(await give(request)).toEqual(ACCEPTED)
    await until('deliveries', 'quarantined', 1)
  })
})

describe('the size of a body', () => {
  it.each(['many', '-1', '5, 5', '0'])(
    'the real length counts, whatever is declared: %s [R SIG-02, F-34]',
    async (length) => {
      const { give } = await receiving()
      const headers = { ...headersOf(MESSAGE), 'content-length': length }
      expect(await give(requestOf(MESSAGE, { headers }))).toEqual(ACCEPTED)
      const long = requestOf(Buffer.alloc(LIMIT + 1), { headers })
      expect(await give(long)).toEqual(TOO_LARGE)
    },
  )

  it('an endless body gets 413 when it is counted, and is neither read further nor cancelled [R SIG-02, F-34]', async () => {
    const { give, rows, timers } = await receiving()
    const body = endlessBody(65_536)
    expect(await give(requestOf(body.stream, { headers: headersOf(MESSAGE) }))).toEqual(TOO_LARGE)
    expect(body.given()).toBeGreaterThan(LIMIT)
    expect(body.given()).toBeLessThanOrEqual(LIMIT + 3 * 65_536)
    expect(body.cancelled()).toBe(false)
    expect(body.stream.locked).toBe(false)
    expect(timers.waiting(DEADLINE_MS)).toBe(0)
    expect(await rows()).toBe(0)
  })
})

describe('a slow body', () => {
  it('gets 408 at the deadline even if it trickles; the stream is released and not cancelled [R SIG-02, F-37]', async () => {
    const { give, timers, rows, line } = await receiving()
    const body = openBody()
    const answer = give(requestOf(body.stream, { headers: headersOf(MESSAGE) }))
    await timers.set(DEADLINE_MS)
    for (let second = 0; second < 9; second++) {
      body.put(MESSAGE.subarray(second, second + 1))
      timers.pass(1_000)
    }
    timers.pass(999)
    expect(timers.waiting(DEADLINE_MS)).toBe(1)
    timers.pass(1)
    expect(await answer).toEqual(TIMEOUT)
    expect(body.cancelled()).toBe(false)
    expect(body.stream.locked).toBe(false)
    expect(await rows()).toBe(0)
    await line(({ about }) => about['reason'] === 'timeout')
  })
})

describe('a body that breaks off', () => {
  it('leaves no row and no timer, and rejects nothing [R DEL-02, F-38]', async () => {
    const { give, timers, rows, line } = await receiving()
    const body = openBody()
    const answer = give(requestOf(body.stream, { headers: headersOf(MESSAGE) }))
    await timers.set(DEADLINE_MS)
    body.put(MESSAGE.subarray(0, 20))
    body.breakOff(new Error('ECONNRESET'))
    expect(await answer).toEqual(TIMEOUT)
    await line(({ about }) => about['reason'] === 'aborted')
    expect(timers.waiting(DEADLINE_MS)).toBe(0)
    expect(await rows()).toBe(0)
  })
})

describe('a body that was read before', () => {
  const READERS: [string, (request: Request) => unknown][] = [
    ['as JSON', (request) => request.json()],
    ['as text', (request) => request.text()],
    ['as bytes', (request) => request.arrayBuffer()],
    ['in part', (request) => bytesIn(request, 1)],
    ['and let go unread, by a reader', (request) => request.body?.getReader()],
  ]

  it.each(READERS)('is a configuration error at once, and not a 401: %s [R SIG-02, F-21]', async (_, read) => {
    const { give, rows, warnings, timers } = await receiving()
    const request = requestOf(MESSAGE)
    await read(request)
    expect(await give(request)).toEqual(PARSED)
    expect(timers.waiting(DEADLINE_MS)).toBe(0)
    expect(await rows()).toBe(0)
    expect(warnings()).toMatchObject([{ level: 'error', message: expect.stringMatching(/request\.clone\(\)/) }])
  })

  it('as a stream of text is an error too, because it has no bytes any more [R SIG-02, F-21]', async () => {
    const { give } = await receiving()
    const body = openBody()
    body.put(MESSAGE.toString() as never)
    body.end()
    expect(await give(requestOf(body.stream, { headers: headersOf(MESSAGE) }))).toEqual(PARSED)
  })

  it('can be replaced by an earlier clone, which has the exact bytes [R SIG-02, F-21]', async () => {
    const { give } = await receiving()
    const request = requestOf(vector('bom').body)
    const clone = request.clone()
    await request.text()
    expect(await give(clone)).toEqual(ACCEPTED)
  })
})
