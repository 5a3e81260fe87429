import { describe, expect, it } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { API_ERRORS } from '../../src/service/contract.ts'
import { json, MESSAGE, startService } from './service.ts'
import { accepts, breaks, clientOn, hangs, refuses, rejection, says, TOKEN } from './stub.ts'

const TO = '255712345678'
const keyed = { idempotencyKey: 'order-7781-ready' }
const reset = breaks({ code: 'ECONNRESET', syscall: 'read' })

describe("the contract's table", () => {
  const rows = Object.entries(API_ERRORS).map(([code, rule]) => [rule.status, code, rule.retry] as const)

  it.each(rows)('%i %s: %s [C ERR-03]', async (status, code, retry) => {
    const { client, requests } = clientOn([refuses(status, code), accepts()])
    if (retry === 'no') {
      expect(await rejection(client.messages.send(TO, 'hi', keyed))).toMatchObject({ code, attempts: 1 })
      expect(requests).toHaveLength(1)
    } else expect(await client.messages.send(TO, 'hi', keyed)).toMatchObject({ attempts: 2 })
  })
})

describe('waiting', () => {
  it('backs off 0.5 s · 2ⁿ up to 3 times, with full jitter, and never longer than 20 s [C ERR-03]', async () => {
    const longest = clientOn([refuses(429)])
    await rejection(longest.client.messages.send(TO, 'hi', keyed))
    expect(longest.time.waits).toEqual([500, 1000, 2000])
    const jittered = clientOn([refuses(500)], { random: () => 0.25 })
    await rejection(jittered.client.messages.send(TO, 'hi', keyed))
    expect(jittered.time.waits).toEqual([125, 250, 500])
    const more = clientOn([refuses(429)], { maxRetries: 8, deadline: '10m' })
    await rejection(more.client.messages.send(TO, 'hi', keyed))
    expect(more.time.waits).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 20_000, 20_000])
  })

  it('repeats send_failed once, after at least 2 s; after that nothing was sent [C ERR-03]', async () => {
    const { client, time } = clientOn([refuses(502, 'send_failed')], { random: () => 0 })
    const error = await rejection(client.messages.send(TO, 'hi', keyed))
    expect(error).toMatchObject({ code: 'send_failed', attempts: 2, outcome: 'not_sent' })
    expect(time.waits).toEqual([2000])
  })

  it('pauses 1 to 3 s while a key is in flight, 60 s in total, and ends as unknown [C ERR-03, C IDEM-07]', async () => {
    const { client, time } = clientOn([refuses(409, 'idempotency_in_progress')], { random: () => 0.5 })
    const error = await rejection(client.messages.send(TO, 'hi', keyed))
    expect(error).toMatchObject({ code: 'idempotency_in_progress', outcome: 'unknown', attempts: 31 })
    expect(time.waits).toEqual(Array.from({ length: 30 }, () => 2000))
  })

  it('does not happen with 0 retries, after a reset, a pause or a 502 [C ERR-03]', async () => {
    for (const reply of [reset, refuses(409, 'idempotency_in_progress'), refuses(502, 'send_failed'), refuses(429)]) {
      const { client, requests } = clientOn([reply], { maxRetries: 0 })
      await rejection(client.messages.send(TO, 'hi', keyed))
      expect(requests).toHaveLength(1)
    }
  })
})

describe('the deadline', () => {
  it('ends the call before a wait that would pass it [C ERR-03]', async () => {
    const { client, time } = clientOn([refuses(429)], { maxRetries: 20, deadline: '10s' })
    const error = await rejection(client.messages.send(TO, 'hi', keyed))
    expect(time.waits).toEqual([500, 1000, 2000, 4000])
    expect(error).toMatchObject({ status: 429, attempts: 5 })
  })

  it('counts the attempts too, and shortens the last one [C ERR-03]', async () => {
    const { client, time } = clientOn([hangs], { maxRetries: 20, random: () => 0 })
    const error = await rejection(client.messages.send(TO, 'hi', keyed))
    expect(time.waits).toEqual([30_000, 0, 30_000, 0, 30_000, 0, 30_000])
    expect(error).toMatchObject({ reason: 'timeout', attempts: 4, outcome: 'unknown' })
    const short = clientOn([hangs], { random: () => 0, deadline: '40s' })
    await rejection(short.client.messages.send(TO, 'hi', keyed))
    expect(short.time.waits).toEqual([30_000, 0, 10_000])
  })
})

describe('an unknown outcome', () => {
  it('is repeated with the same bytes, key and headers [C IDEM-07, C ERR-03]', async () => {
    await using service = await startService((response, _, nth) => {
      if (nth === 1) response.socket?.resetAndDestroy()
      else if (nth === 2) json(503, {})(response)
      else json(200, MESSAGE, { 'Idempotency-Replayed': 'true' })(response)
    })
    const hurried = {
      after(ms: number, run: () => void) {
        if (ms < 30_000) setImmediate(run)
        return () => {}
      },
    }
    const client = createClient({ baseUrl: service.url, accessToken: TOKEN, timers: hurried })
    const accepted = await client.messages.send(TO, 'Habari 👋', keyed)
    expect(accepted).toMatchObject({ attempts: 3, replayed: true, message: { id: 'msg_1' } })
    const [first, ...more] = service.seen
    expect(first?.body).toBe('{"to":"255712345678","type":"text","text":"Habari 👋"}')
    expect(first?.headers['idempotency-key']).toBe('order-7781-ready')
    expect(more).toEqual([first, first])
  })

  it.each([
    ['a reset', reset],
    ['a time-out', hangs],
    ['a 500', refuses(500, 'internal_error')],
    ['an unreadable success', says(200, 'ok')],
  ])('is never repeated without a key: %s [C ERR-04]', async (_, reply) => {
    const { client, requests } = clientOn([reply, accepts()])
    const error = await rejection(client.messages.send(TO, 'hi', { idempotencyKey: null }))
    expect(error).toMatchObject({ outcome: 'unknown', attempts: 1 })
    expect(requests).toHaveLength(1)
  })

  it('is repeated without a key too if a refusal certainly sent nothing [C ERR-04]', async () => {
    for (const reply of [refuses(429), breaks({ code: 'ECONNREFUSED', syscall: 'connect' })]) {
      const { client } = clientOn([reply, accepts()])
      expect(await client.messages.send(TO, 'hi', { idempotencyKey: null })).toMatchObject({ attempts: 2 })
    }
  })

  it('is settled only by an acceptance: a refused repeat only shows that the repeat was not sent [C IDEM-05, C IDEM-07]', async () => {
    for (const code of ['outside_messaging_window', 'idempotency_key_reused', 'not_authenticated'] as const) {
      const { client } = clientOn([reset, refuses(API_ERRORS[code].status, code)])
      const error = await rejection(client.messages.send(TO, 'hi', keyed))
      expect(error).toMatchObject({ code, outcome: 'unknown', attempts: 2, retryable: false })
      expect((error as Error).message).toContain('an earlier attempt may have been accepted')
      expect((error as Error).stack).toContain('an earlier attempt may have been accepted')
    }
  })

  it('stays unknown if the next attempt gets no token [C AUTH-02]', async () => {
    const tokens = ['token-one']
    const { client, requests } = clientOn([reset], { accessToken: () => tokens.shift() as string })
    const error = await rejection(client.messages.send(TO, 'hi', keyed))
    expect(error).toMatchObject({ code: 'no_access_token', outcome: 'unknown', attempts: 2 })
    expect(requests).toHaveLength(1)
  })
})

describe("the caller's signal", () => {
  it.each([
    ['a 429', refuses(429), 'not_sent'],
    ['a reset', reset, 'unknown'],
  ] as const)('ends a wait, and the error has the outcome known so far: %s [C ERR-03]', async (_, reply, outcome) => {
    const controller = new AbortController()
    const timers = {
      after(ms: number) {
        if (ms < 30_000) controller.abort()
        return () => {}
      },
    }
    const { client, requests } = clientOn([reply], { timers })
    const error = await rejection(client.messages.send(TO, 'hi', { ...keyed, signal: controller.signal }))
    expect(error).toMatchObject({ reason: 'aborted', outcome, attempts: 1, retryable: false })
    expect(requests).toHaveLength(1)
  })
})
