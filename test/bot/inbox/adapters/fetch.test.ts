import { describe, expect, it } from 'vitest'
import { webhook } from 'switchhook/fetch'
import { botOn } from '../bot.ts'
import { headersOf, MESSAGE, SECRET, vector } from '../signing.ts'
import { manualTimers } from '../time.ts'
import { bytesIn, endlessBody, openBody, requestOf, shown } from './fetch.ts'

const LIMIT = 1_048_576
const DEADLINE_MS = 10_000
const JSON_TYPE = { 'content-type': 'application/json' }
const CLOSING = { ...JSON_TYPE, connection: 'close' }
const ACCEPTED = { status: 200, headers: JSON_TYPE, body: '{"status":"accepted"}' }
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
})

it('the exact bytes are taken from chunks that are views into larger buffers [R SIG-02, F-11]', async () => {
  const { give } = await receiving()
  const around = Buffer.concat([Buffer.from('xx'), MESSAGE, Buffer.from('yy')])
  const view = new Uint8Array(around.buffer, around.byteOffset + 2, MESSAGE.length)
  const stream = openBody()
  stream.put(view.subarray(0, 7), new Uint8Array(0), view.subarray(7))
  stream.end()
  expect(await give(requestOf(stream.stream, { headers: headersOf(MESSAGE) }))).toEqual(ACCEPTED)
})

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

describe('a body that was read before', () => {
  const READERS: [string, (request: Request) => unknown][] = [
    ['as JSON', (request) => request.json()],
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

  it('can be replaced by an earlier clone, which has the exact bytes [R SIG-02, F-21]', async () => {
    const { give } = await receiving()
    const request = requestOf(vector('bom').body)
    const clone = request.clone()
    await request.text()
    expect(await give(clone)).toEqual(ACCEPTED)
  })
})
