import { describe, expect, it } from 'vitest'
import { MESSAGE } from './service.ts'
import { accepts, clientOn, rejection, says } from './stub.ts'

const TO = '255712345678'
const keyed = { idempotencyKey: 'order-7781-ready' }

/** Answers that come when the test releases them. */
function held() {
  const waiting: (() => void)[] = []
  const reply = () =>
    new Promise<Response>((resolve) => waiting.push(() => resolve(new Response(JSON.stringify(MESSAGE)))))
  return { reply, release: () => waiting.splice(0).forEach((letGo) => letGo()) }
}

/** Time that stands still. */
const still = { after: () => () => {} }

const settled = () => new Promise((resolve) => setImmediate(resolve))

describe('calls under one key, while the first is running', () => {
  it('are one request, whose answer all of them get [C IDEM-07, C IDEM-01]', async () => {
    const { reply, release } = held()
    const { client, requests } = clientOn([reply], { timers: still })
    const calls = [1, 2, 3].map(() => client.messages.send(TO, 'hi', keyed))
    await settled()
    release()
    const all = await Promise.all(calls)
    expect(requests).toHaveLength(1)
    expect(all.map(({ message }) => message.id)).toEqual(['msg_1', 'msg_1', 'msg_1'])
    await Promise.all([client.messages.send(TO, 'hi', keyed), settled().then(release)])
    expect(requests).toHaveLength(2)
  })

  it('are refused if their message is another, before anything is sent [C IDEM-01]', async () => {
    const { reply, release } = held()
    const { client, requests } = clientOn([reply], { timers: still })
    const first = client.messages.send(TO, 'hi', keyed)
    await settled()
    const other = await rejection(client.messages.send(TO, 'something else', keyed))
    expect(other).toMatchObject({ code: 'diverged' })
    release()
    await first
    expect(requests).toHaveLength(1)
  })

  it('are separate requests if the number or the key differs, or there is no key [C IDEM-01]', async () => {
    const { reply, release } = held()
    const { client, requests } = clientOn([reply], { timers: still })
    const calls = [
      client.messages.send(TO, 'hi', keyed),
      client.messages.send(TO, 'hi', { idempotencyKey: 'other' }),
      client.messages.send(TO, 'hi', { ...keyed, phoneNumberId: 'pn_2' }),
      client.messages.send(TO, 'hi', { idempotencyKey: null }),
      client.messages.send(TO, 'hi', { idempotencyKey: null }),
    ]
    await settled()
    expect(requests).toHaveLength(5)
    release()
    await Promise.all(calls)
  })

  it('share a refusal too [C ERR-03]', async () => {
    const { client, requests } = clientOn([says(422, { code: 'template_not_found', message: 'no' })])
    const calls = [1, 2].map(() => rejection(client.messages.send(TO, 'hi', keyed)))
    for (const error of await Promise.all(calls)) expect(error).toMatchObject({ code: 'template_not_found' })
    expect(requests).toHaveLength(1)
  })

  it('are forgotten once they end: after a refusal a corrected body may be sent under the key [C IDEM-05]', async () => {
    const { client, requests } = clientOn([says(400, { message: 'no' }), accepts()])
    await rejection(client.messages.send(TO, 'hi', keyed))
    await client.messages.send(TO, 'hello', keyed)
    expect(requests.map(({ headers }) => headers['Idempotency-Key'])).toEqual([
      keyed.idempotencyKey,
      keyed.idempotencyKey,
    ])
  })

  it("end with their own signal, and the other's request goes on [C IDEM-07]", async () => {
    const { reply, release } = held()
    const { client } = clientOn([reply], { timers: still })
    const first = client.messages.send(TO, 'hi', keyed)
    const controller = new AbortController()
    const second = rejection(client.messages.send(TO, 'hi', { ...keyed, signal: controller.signal }))
    controller.abort()
    expect(await second).toMatchObject({ reason: 'aborted', outcome: 'unknown', attempts: 0 })
    await settled()
    release()
    expect((await first).message.id).toBe('msg_1')
  })

  it('wait no longer than their own deadline [C IDEM-07]', async () => {
    const due = new Map<number, () => void>()
    const timers = {
      after: (ms: number, run: () => void) => {
        due.set(ms, run)
        return () => {}
      },
    }
    const { reply, release } = held()
    const { client } = clientOn([reply], { timers })
    const first = client.messages.send(TO, 'hi', keyed)
    const second = rejection(client.messages.send(TO, 'hi', { ...keyed, deadline: '7s' }))
    await settled()
    due.get(7_000)?.()
    expect(await second).toMatchObject({ reason: 'timeout', outcome: 'unknown' })
    release()
    await first
  })

  it('send the request themselves if the first caller gave up [C IDEM-07]', async () => {
    const controller = new AbortController()
    const replies = [() => new Promise<never>(() => {}), accepts()]
    const { client, requests } = clientOn(replies, { timers: still })
    const first = rejection(client.messages.send(TO, 'hi', { ...keyed, signal: controller.signal }))
    const others = [1, 2].map(() => client.messages.send(TO, 'hi', keyed))
    await settled()
    controller.abort()
    expect(await first).toMatchObject({ reason: 'aborted' })
    for (const one of await Promise.all(others)) expect(one.message.id).toBe('msg_1')
    expect(requests).toHaveLength(2)
  })
})
