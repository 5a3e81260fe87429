import { describe, expect, it } from 'vitest'
import type { Timers } from '../../src/base/clock.ts'
import { NoAnswerError, RateLimitedError } from '../../src/client/index.ts'
import { accepts, clientOn, refuses, rejection, says, steppedTime } from './stub.ts'

const TO = '255712345678'
const limited = refuses(429, 'rate_limited')
const limitedFor = (seconds: number) => says(429, { code: 'rate_limited' }, { 'Retry-After': String(seconds) })
const key = (nth: number | string) => ({ idempotencyKey: `order-${nth}` })

describe('a 429 to one send', () => {
  it('pauses the other sends of its number, since the number is limited and not the request [C SEND-22]', async () => {
    const { client, requests, time } = clientOn([limitedFor(7), accepts()], { maxRetries: 0, random: () => 0 })
    await rejection(client.messages.send(TO, 'one', key(1)))
    expect(requests).toHaveLength(1)
    expect(await client.messages.send(TO, 'two', key(2))).toMatchObject({ attempts: 1 })
    expect(time.waits).toEqual([7_000])
    await client.messages.send(TO, 'three', key(3))
    expect(time.waits).toEqual([7_000])
  })

  it('is tried by a few of the sends that wait, and waiting uses up no retry [C SEND-22, C ERR-03]', async () => {
    const time = orderedTime()
    let requests = 0
    const fetch = async () => {
      requests++
      await new Promise<void>((answered) => time.timers.after(50, answered))
      return time.now() < 3_000 ? limited() : accepts()()
    }
    const { client } = clientOn([], { fetch, ...time, random: time.random })
    const sends = Array.from({ length: 40 }, (_, nth) => client.messages.send(TO, `${nth}`, key(nth)))
    await time.until(Promise.allSettled(sends))
    expect(await Promise.all(sends)).toHaveLength(40)
    expect(requests).toBeLessThan(110)
  })

  it('leaves other numbers, and reads, alone [C GEN-03, C SEND-19]', async () => {
    const { client, time } = clientOn([limitedFor(7), accepts()], { maxRetries: 0 })
    await rejection(client.messages.send(TO, 'one', { ...key(1), phoneNumberId: 'pn_1' }))
    await client.messages.send(TO, 'two', { ...key(2), phoneNumberId: 'pn_2' })
    await client.messages.send(TO, 'three', key(3))
    await rejection(client.templates.list())
    expect(time.waits).toEqual([])
  })

  it('makes no send wait for much longer than the answer asks [C SEND-22]', async () => {
    const { client, time } = clientOn([limitedFor(60), accepts()], { maxRetries: 0 })
    await rejection(client.messages.send(TO, 'one', key(1)))
    await client.messages.send(TO, 'two', key(2))
    expect(time.waits).toEqual([65_000])
  })

  it('ends a send that would wait beyond its deadline: nothing was sent [C ERR-03]', async () => {
    const { client, requests } = clientOn([limitedFor(40), accepts()], { random: () => 0, maxRetries: 0 })
    await rejection(client.messages.send(TO, 'one', key(1)))
    const error = await rejection(client.messages.send(TO, 'two', { ...key(2), deadline: '30s' }))
    expect(error).toBeInstanceOf(RateLimitedError)
    expect(error).toMatchObject({
      code: 'rate_limited',
      status: undefined,
      outcome: 'not_sent',
      retryable: true,
      attempts: 0,
      retryAfterMs: 40_000,
    })
    expect((error as RateLimitedError).idempotencyKeyHash).toMatch(/^[0-9a-f]{16}$/)
    expect((error as Error).message).not.toContain(TO)
    expect(requests).toHaveLength(1)
    const patient = await client.messages.send(TO, 'three', { ...key(3), deadline: '300s' })
    expect(patient).toMatchObject({ attempts: 1 })
  })

  it('pauses the others for a minute at most, whatever the answer asks: then the next one tries [C SEND-22]', async () => {
    const { client, requests, time } = clientOn([limitedFor(86_400), accepts()], { random: () => 0 })
    expect(await rejection(client.messages.send(TO, 'one', key(1)))).toMatchObject({ retryAfterMs: 86_400_000 })
    await client.messages.send(TO, 'two', { ...key(2), deadline: '90s' })
    expect([time.waits, requests.length]).toEqual([[60_000], 2])
  })

  it('sends nothing if the wait ended too late, as on a machine that slept [C ERR-03]', async () => {
    const time = steppedTime()
    const late: Timers = {
      after: (ms, run) =>
        time.timers.after(ms, () => {
          time.pass(2_000)
          run()
        }),
    }
    const options = { timers: late, now: time.now, random: () => 0, maxRetries: 0, deadline: '10s' } as const
    const { client, requests } = clientOn([limitedFor(9), accepts()], options)
    await rejection(client.messages.send(TO, 'one', key(1)))
    expect(await rejection(client.messages.send(TO, 'two', key(2)))).toMatchObject({
      code: 'rate_limited',
      outcome: 'not_sent',
    })
    expect(requests).toHaveLength(1)
  })

  it("a wait for it ends with the caller's signal: nothing was sent [C ERR-03]", async () => {
    const controller = new AbortController()
    const timers = {
      after(ms: number) {
        if (ms < 30_000) controller.abort()
        return () => {}
      },
    }
    const { client, requests } = clientOn([limitedFor(7), accepts()], { timers, maxRetries: 0 })
    await rejection(client.messages.send(TO, 'one', key(1)))
    const error = await rejection(client.messages.send(TO, 'two', { ...key(2), signal: controller.signal }))
    expect(error).toBeInstanceOf(NoAnswerError)
    expect(error).toMatchObject({ reason: 'aborted', outcome: 'not_sent' })
    expect(requests).toHaveLength(1)
  })

  it('pauses no single attempt: its caller has a plan of its own [C ERR-03]', async () => {
    const { client, time } = clientOn([limitedFor(7), accepts()], { maxRetries: 0 })
    await rejection(client.messages.send(TO, 'one', key(1)))
    await client.attempt({ body: '{}', idempotencyKey: 'k' })
    expect(time.waits).toEqual([])
  })
})

/** Time in which timers fire in their order, and chance that is the same in each run. */
function orderedTime() {
  const waiting = new Set<{ at: number; run: () => void }>()
  let now = 0
  let seed = 1
  return {
    now: () => now,
    random: () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647,
    timers: {
      after(ms: number, run: () => void) {
        const one = { at: now + ms, run }
        waiting.add(one)
        return () => void waiting.delete(one)
      },
    },
    async until(work: Promise<unknown>) {
      let over = false
      void work.then(() => (over = true))
      for (;;) {
        for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate)
        const [next] = [...waiting].toSorted((a, b) => a.at - b.at)
        if (over || !next) return
        waiting.delete(next)
        now = next.at
        next.run()
      }
    },
  }
}
