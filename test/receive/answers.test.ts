import { describe, expect, it } from 'vitest'
import type { Body } from '../../src/receive/http.ts'
import { ACCEPTED, receiverOn } from './receiver.ts'
import { headersOf, MESSAGE } from './signing.ts'

const JSON_TYPE = { 'content-type': 'application/json' }

/** Gives the receiver's whole answer to a request whose body was read with this result. */
function answerTo(body: Body) {
  return receiverOn().take({ headers: headersOf(MESSAGE), readBody: async () => body })
}

describe('the table of answers', () => {
  it('new and stored: 200 accepted [R DEL-01]', async () => {
    expect(await receiverOn().post(MESSAGE, headersOf(MESSAGE))).toEqual({
      status: 200,
      headers: JSON_TYPE,
      body: '{"status":"accepted"}',
    })
  })

  it('came before: 200 duplicate [R DEL-01]', async () => {
    const service = receiverOn()
    await service.post(MESSAGE, headersOf(MESSAGE))
    expect(await service.post(MESSAGE, headersOf(MESSAGE))).toEqual({
      status: 200,
      headers: JSON_TYPE,
      body: '{"status":"duplicate"}',
    })
  })

  it('not signed: 401 unauthorized [R SIG-04, F-44]', async () => {
    expect(await receiverOn().post(MESSAGE, {})).toEqual({
      status: 401,
      headers: JSON_TYPE,
      body: '{"error":"unauthorized"}',
    })
  })

  it.each(['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'post', 'TRACE', ''])(
    'any method but POST: 405 method_not_allowed, with Allow, though it is signed: %j [R SIG-08, F-39]',
    async (method) => {
      const service = receiverOn()
      expect(await service.post(MESSAGE, headersOf(MESSAGE), method)).toEqual({
        status: 405,
        headers: { ...JSON_TYPE, allow: 'POST' },
        body: '{"error":"method_not_allowed"}',
      })
      expect(service.storeCalls()).toBe(0)
    },
  )

  it('too slow: 408 timeout, and the connection is closed [R SIG-02, F-37]', async () => {
    expect(await answerTo({ problem: 'timeout' })).toEqual({
      status: 408,
      headers: { ...JSON_TYPE, connection: 'close' },
      body: '{"error":"timeout"}',
    })
  })

  it('too large: 413 too_large, and the connection is closed [R SIG-02, F-34]', async () => {
    expect(await answerTo({ problem: 'too_large' })).toEqual({
      status: 413,
      headers: { ...JSON_TYPE, connection: 'close' },
      body: '{"error":"too_large"}',
    })
  })

  it.each(['gzip', 'br', 'deflate', 'zstd', 'x-gzip', 'GZIP', 'gzip, gzip', 'identity, gzip', 'aes128gcm', '*'])(
    'a Content-Encoding: 415 unsupported_encoding, and the body is not read: %s [R SIG-02, F-35]',
    async (encoding) => {
      let reads = 0
      const answer = await receiverOn().take({
        headers: { ...headersOf(MESSAGE), 'content-encoding': encoding },
        readBody: async () => {
          reads++
          return { bytes: MESSAGE }
        },
      })
      expect(answer).toEqual({ status: 415, headers: JSON_TYPE, body: '{"error":"unsupported_encoding"}' })
      expect(reads).toBe(0)
    },
  )

  it.each(['identity', 'Identity', ''])(
    'a Content-Encoding that changes nothing: %j [R SIG-02, F-35]',
    async (encoding) => {
      const headers = { ...headersOf(MESSAGE), 'content-encoding': encoding }
      expect(await receiverOn().post(MESSAGE, headers)).toMatchObject(ACCEPTED)
    },
  )

  it('parsed by the app: 500 body_already_parsed [R SIG-02, F-21]', async () => {
    expect(await answerTo({ problem: 'already_parsed' })).toEqual({
      status: 500,
      headers: JSON_TYPE,
      body: '{"error":"body_already_parsed"}',
    })
  })

  it('the store cannot write: 503 unavailable, without the reason [R DEL-02]', async () => {
    const service = receiverOn({ accept: () => Promise.reject(new Error('SQLITE_FULL: database or disk is full')) })
    expect(await service.post(MESSAGE, headersOf(MESSAGE))).toEqual({
      status: 503,
      headers: JSON_TYPE,
      body: '{"error":"unavailable"}',
    })
  })

  it('the store is given what is left of four seconds since the last byte, however long the upload took [R DEL-02, F-98]', async () => {
    const waits: number[] = []
    const service = receiverOn({
      async accept(_, waitMs) {
        waits.push(waitMs)
        return 'stored'
      },
    })
    const headers = new Headers(headersOf(MESSAGE))
    let isRead = false
    const lookUp = (name: string) => {
      // Verification takes a second and a half.
      if (isRead) service.time.elapsed = 10_500
      return headers.get(name)
    }
    const readBody = async () => {
      service.time.elapsed = 9_000
      isRead = true
      return { bytes: MESSAGE }
    }
    await service.take({ headers: { get: lookUp, keys: () => headers.keys() } as Headers, readBody })
    expect(waits).toEqual([2_500])
  })

  it('while it stops: the same answers, and the connection is closed [R DEL-02, F-58]', async () => {
    const service = receiverOn()
    await service.beginStop()
    const closed = { status: 200, headers: { ...JSON_TYPE, connection: 'close' } }
    expect(await service.post(MESSAGE, headersOf(MESSAGE))).toEqual({ ...closed, body: ACCEPTED.body })
    expect(await service.post(MESSAGE, headersOf(MESSAGE))).toEqual({ ...closed, body: '{"status":"duplicate"}' })
    expect(await service.states()).toEqual({ stored: 1 })
  })
})

describe('an answer', () => {
  it('is not given before the delivery is on disk [R DEL-02]', async () => {
    let answered = false
    let land = () => {}
    const service = receiverOn({
      accept: () =>
        new Promise((resolve) => {
          land = () => resolve('stored')
        }),
    })
    const answer = service.post(MESSAGE, headersOf(MESSAGE)).finally(() => {
      answered = true
    })
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
    expect(service.storeCalls()).toBe(1)
    expect(answered).toBe(false)
    land()
    expect(await answer).toMatchObject(ACCEPTED)
  })

  it('to an unsigned request never calls the store [R SIG-04, F-42]', async () => {
    const service = receiverOn()
    for (let each = 0; each < 200; each++)
      await service.post(MESSAGE, { ...headersOf(MESSAGE), 'x-service-signature': `sha256=${'0'.repeat(64)}` })
    expect(service.storeCalls()).toBe(0)
  })
})
