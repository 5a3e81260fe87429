import { describe, expect, it } from 'vitest'
import type { ApiError } from '../../src/client/client.ts'
import { oneTimeCode } from '../../src/service/one-time-code.ts'
import { accepts, clientOn, hangs, refuses, rejection, says } from './stub.ts'

const TO = '255712345678'
const keyed = { idempotencyKey: 'order-7781-ready' }

it('a time of zero is refused by name, because no answer would come in time [C ERR-03]', async () => {
  for (const name of ['timeout', 'deadline'])
    expect(() => clientOn([accepts()], { [name]: '0s' })).toThrow(`${name}: expected a span above zero`)
  const { client } = clientOn([accepts()])
  const error = await rejection(client.attempt({ body: '{}', idempotencyKey: 'k', timeout: 0 }))
  expect(error).toMatchObject({ code: 'options_invalid' })
})

describe('an answer that requests a wait', () => {
  const after = (value: string, more = {}) => says(429, { code: 'rate_limited' }, { 'Retry-After': value, ...more })

  it.each<[string, string, number]>([
    ['is obeyed in seconds, although the service sends no Retry-After today', '7', 7_000],
    ['is obeyed as a date, read relative to the date of the answer', 'Fri, 20 Nov 2026 14:00:09 GMT', 9_000],
    ...['soon', '-5', '', '9'.repeat(400)].map((odd): [string, string, number] => [
      `is ignored as ${odd.slice(0, 9)}`,
      odd,
      500,
    ]),
  ])('%s [C ERR-03, F-70]', async (_, value, wait) => {
    const { client, time } = clientOn([after(value, { Date: 'Fri, 20 Nov 2026 14:00:00 GMT' }), accepts()])
    expect(await client.messages.send(TO, 'hi', keyed)).toMatchObject({ attempts: 2 })
    expect(time.waits).toEqual([wait])
  })

  it('ends the call if the deadline comes first [C ERR-03]', async () => {
    const { client, time } = clientOn([after('120')])
    const error = (await rejection(client.messages.send(TO, 'hi', keyed))) as ApiError
    expect(error).toMatchObject({ status: 429, attempts: 1, retryAfterMs: 120_000 })
    expect(time.waits).toEqual([])
  })
})

describe('a 401', () => {
  const denied = refuses(401, 'not_authenticated')

  it('is retried at once with the token that the function returns then [C AUTH-02]', async () => {
    const tokens = ['token-old', 'token-new']
    const { client, requests, time } = clientOn([denied, accepts()], { accessToken: () => tokens.shift() as string })
    expect(await client.messages.send(TO, 'hi', keyed)).toMatchObject({ attempts: 2 })
    expect(requests.map(({ headers }) => headers['Authorization'])).toEqual(['Bearer token-old', 'Bearer token-new'])
    expect(requests.map(({ headers }) => headers['Idempotency-Key'])).toEqual([
      keyed.idempotencyKey,
      keyed.idempotencyKey,
    ])
    expect(requests[1]?.body).toBe(requests[0]?.body)
    expect(time.waits).toEqual([])
  })

  it('ends a call with a fixed token, and the second one a call with a function [C AUTH-02]', async () => {
    for (const [accessToken, attempts] of [
      ['token-old', 1],
      [() => 'token-old', 2],
    ] as const) {
      const { client, requests } = clientOn([denied, denied, accepts()], { accessToken })
      const error = await rejection(client.messages.send(TO, 'hi', keyed))
      expect(error).toMatchObject({ code: 'not_authenticated', attempts, outcome: 'not_sent' })
      expect(requests).toHaveLength(attempts)
    }
  })

  it('ends the call if the deadline has passed, because a repeat would be cut off [C AUTH-02, C ERR-03]', async () => {
    const tokens = ['token-old', 'token-new']
    const slow = () => {
      on.time.pass(120_000)
      return denied()
    }
    const on = clientOn([slow, accepts()], { accessToken: () => tokens.shift() as string, timeout: '200s' })
    expect(await rejection(on.client.messages.send(TO, 'hi', keyed))).toMatchObject({ status: 401, attempts: 1 })
    expect(on.requests).toHaveLength(1)
  })
})

describe('a one-time code', () => {
  const code = oneTimeCode('login_code', 'sw', '004711')
  const forever = { deadline: '2h', maxRetries: 1000, random: () => 1 } as const

  it('is not tried for longer than ten minutes [C OTP-09]', async () => {
    const spentOn = async (what: typeof code | string) => {
      const { client, time } = clientOn([refuses(429)], forever)
      await rejection(client.messages.send(TO, what, keyed))
      return time.waits.reduce((sum, wait) => sum + wait, 0)
    }
    expect(await spentOn(code)).toBeGreaterThan(600_000 - 20_001)
    expect(await spentOn(code)).toBeLessThan(600_000)
    expect(await spentOn('no code')).toBeGreaterThan(7_000_000)
  })

  it('is refused and never sent under a fresh key if the key was used for another one [C OTP-08]', async () => {
    const { client, requests } = clientOn([refuses(422, 'idempotency_key_reused')])
    const error = await rejection(client.messages.send(TO, code, keyed))
    expect(error).toMatchObject({ code: 'idempotency_key_reused', attempts: 1, retryable: false })
    expect(requests).toHaveLength(1)
  })

  it('can be limited in a single attempt too [C OTP-09]', async () => {
    const { client, time } = clientOn([hangs])
    await rejection(client.attempt({ body: '{}', idempotencyKey: 'k', timeout: '4s' }))
    await rejection(client.attempt({ body: '{}', idempotencyKey: 'k' }))
    expect(time.waits).toEqual([4_000, 30_000])
  })
})
