import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { createClient, NoAnswerError } from '../../src/client/client.ts'
import { startService } from './service.ts'
import { accepts, breaks, clientOn, hangs, rejection, TOKEN } from './stub.ts'

const send = { body: '{"to":"255712345678"}', idempotencyKey: 'k' }

/** Timers that fire when the test releases them. */
function heldTimers() {
  const held = new Map<() => void, number>()
  return {
    held,
    fire: () => held.forEach((_, run) => run()),
    after(ms: number, run: () => void) {
      held.set(run, ms)
      return () => void held.delete(run)
    },
  }
}

describe('no answer in time', () => {
  it('ends the attempt after 30 s, with an unknown outcome [C IDEM-07]', async () => {
    const { client, time } = clientOn([hangs])
    const error = await rejection(client.attempt(send))
    expect(error).toBeInstanceOf(NoAnswerError)
    expect(error).toMatchObject({
      reason: 'timeout',
      status: undefined,
      code: undefined,
      outcome: 'unknown',
      retryable: true,
    })
    expect((error as Error).message).toContain('had no answer within 30000 ms; the message may have been accepted')
    expect(time.waits).toEqual([30_000])
  })

  it('counts the body, and closes the connection [C IDEM-07, F-81]', async () => {
    const timers = heldTimers()
    const closed = Promise.withResolvers<void>()
    await using service = await startService((response) => {
      response.on('close', () => closed.resolve())
      response.writeHead(200, { 'content-length': 500 }).write('{"id":')
      setImmediate(timers.fire)
    })
    const client = createClient({ baseUrl: service.url, accessToken: TOKEN, timers })
    expect(await rejection(client.attempt(send))).toMatchObject({ reason: 'timeout', outcome: 'unknown' })
    await closed.promise
    expect(timers.held.size).toBe(0)
  })

  it('includes the wait for a token; then nothing was sent [C AUTH-02]', async () => {
    const { client, requests } = clientOn([accepts()], { accessToken: () => new Promise<never>(() => {}) })
    expect(await rejection(client.attempt(send))).toMatchObject({ reason: 'timeout', outcome: 'not_sent' })
    expect(requests).toEqual([])
  })

  it('leaves no timer and no listener behind [C IDEM-07]', async () => {
    const timers = heldTimers()
    const { signal } = new AbortController()
    const { client } = clientOn([accepts()], { timers })
    await client.attempt({ ...send, signal })
    expect(timers.held.size).toBe(0)
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })
})

describe("the caller's signal", () => {
  it('aborted before the request: nothing is sent, and no token requested [C IDEM-07]', async () => {
    let tokens = 0
    const { client, requests } = clientOn([accepts()], { accessToken: () => `token-${++tokens}` })
    const error = await rejection(client.attempt({ ...send, signal: AbortSignal.abort() }))
    expect(error).toMatchObject({ reason: 'aborted', outcome: 'not_sent', retryable: false })
    expect([tokens, requests.length]).toEqual([0, 0])
  })

  it('aborted after the request left: an unknown outcome, because the signal recalls nothing [C IDEM-07]', async () => {
    const controller = new AbortController()
    await using service = await startService(() => controller.abort())
    const client = createClient({ baseUrl: service.url, accessToken: TOKEN })
    const error = await rejection(client.attempt({ ...send, signal: controller.signal }))
    expect(error).toMatchObject({ reason: 'aborted', outcome: 'unknown', retryable: false })
    expect(service.seen).toHaveLength(1)
  })
})

describe('a connection that fails', () => {
  it('because nothing listens: nothing was sent [C IDEM-07]', async () => {
    const service = await startService(() => {})
    await service[Symbol.asyncDispose]()
    const client = createClient({ baseUrl: service.url, accessToken: TOKEN })
    const error = await rejection(client.attempt(send))
    expect(error).toMatchObject({ reason: 'connection', outcome: 'not_sent', retryable: true })
    expect((error as Error).message).toContain('nothing was sent')
    expect((error as Error).cause).toMatchObject({ code: 'ECONNREFUSED' })
  })

  it('is reset after the request arrived: an unknown outcome [C IDEM-07]', async () => {
    await using service = await startService((response) => response.socket?.resetAndDestroy())
    const client = createClient({ baseUrl: service.url, accessToken: TOKEN })
    expect(await rejection(client.attempt(send))).toMatchObject({ reason: 'connection', outcome: 'unknown' })
  })

  it.each([
    [{ code: 'ENOTFOUND', syscall: 'getaddrinfo' }, 'not_sent'],
    [{ code: 'UND_ERR_CONNECT_TIMEOUT' }, 'not_sent'],
    [{ code: 'ECONNRESET', syscall: 'read' }, 'unknown'],
    [{}, 'unknown'],
  ])('%j: %s [C IDEM-07]', async (cause, outcome) => {
    const { client } = clientOn([breaks(cause)])
    expect(await rejection(client.attempt(send))).toMatchObject({ reason: 'connection', outcome })
  })

  it.each([
    ['a 409, which may be either of two errors', 409, 'unknown'],
    ['any other refusal, which is still one', 422, 'not_sent'],
  ])('breaks off %s [C ERR-02]', async (_, status, outcome) => {
    await using service = await startService((response) => {
      response.writeHead(status, { 'content-length': 500 }).write('{"code":"')
      setImmediate(() => response.destroy())
    })
    const client = createClient({ baseUrl: service.url, accessToken: TOKEN })
    expect(await rejection(client.attempt(send))).toMatchObject({ status, outcome })
  })
})
