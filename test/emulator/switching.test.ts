import { describe, expect, it } from 'vitest'
import type { Outcome } from '../../src/emulator/deliver/delivery.ts'
import { createEmulator, type Emulator } from '../../src/emulator/index.ts'
import { call, control, CUSTOMER, send } from './support/api.ts'
import { manualTime } from './support/time.ts'

const to = CUSTOMER
const key = { 'Idempotency-Key': 'k' }

async function open(): Promise<Emulator> {
  const emulator = await createEmulator()
  await emulator.customer(to).says('Habari')
  return emulator
}

const keyed = (emulator: Emulator, body: string) =>
  call(emulator, 'POST', '/api/v2/messages', { body, headers: key }).then(({ status, json, headers }) =>
    status === 200 ? (headers.get('Idempotency-Replayed') ?? 'sent') : json.code,
  )

describe('an assumption that nobody has switched', () => {
  it('stands at the reading by the letter, where there is one [E DEL-08 TPL-05 GEN-11 IDEM-06]', async () => {
    await using emulator = await createEmulator()
    expect((await control(emulator, 'GET', 'assumptions')).json).toMatchObject({
      failuresCounted: 'deliveries',
      unsynchronisedRefusal: '502',
      description: 'token',
      keysRememberedFor: '24h',
    })
  })
})

describe('an assumption that is switched while the emulator runs', () => {
  it('has a repeat of the same bytes replayed, however bodies were compared when it was sent first [E IDEM-03 IDEM-04]', async () => {
    await using emulator = await open()
    const [body, otherwise] = [`{"to":"${to}","text":"x"}`, `{ "text":"x", "to":"${to}" }`]
    expect(await keyed(emulator, body)).toBe('sent')
    for (const [bodiesCompared, other] of [
      ['json', 'true'],
      ['bytes', 'idempotency_key_reused'],
    ] as const) {
      await emulator.assumptions.set({ bodiesCompared })
      expect([await keyed(emulator, body), await keyed(emulator, otherwise)], bodiesCompared).toEqual(['true', other])
    }
  })

  it('forgets settled keys if they are switched to be forgotten [E IDEM-03]', async () => {
    await using emulator = await open()
    await send(emulator, { to, text: 'x' }, key)
    await emulator.assumptions.set({ keysRememberedFor: 'until_settled' })
    expect(await emulator.keys.list()).toEqual([])
    const again = await send(emulator, { to, text: 'x' }, key)
    expect([again.status, again.headers.get('Idempotency-Replayed')]).toEqual([200, null])
  })

  it('lets fewer or more attempts run at a time, also to an endpoint that had some before [E DEL-08]', async () => {
    const underWay: ((outcome: Outcome) => void)[] = []
    const post = () => new Promise<Outcome>((resolve) => underWay.push(resolve))
    const answerOne = async () => {
      underWay.shift()?.({ status: 200, headers: {}, body: '' })
      await new Promise((resolve) => setImmediate(resolve))
    }
    await using emulator = await createEmulator({ webhook: 'http://127.0.0.1:9/nobody', internals: { post } })
    const underWayAfter = async (more: number, attemptsAtOnce: number) => {
      await emulator.assumptions.set({ attemptsAtOnce })
      for (let n = 0; n < more; n++) await emulator.customer(to).says('Bado upo?')
      return underWay.length
    }
    expect(await underWayAfter(5, 2)).toBe(2)
    expect(await underWayAfter(1, 1)).toBe(2)
    await answerOne()
    expect(underWay).toHaveLength(1)
    expect(await underWayAfter(0, 3)).toBe(1)
    await answerOne()
    expect(underWay).toHaveLength(3)
    expect(await underWayAfter(1, 4)).toBe(4)
  })
})

describe('a key', () => {
  it('is listed no longer than it is remembered [E IDEM-03]', async () => {
    const time = manualTime()
    await using emulator = await createEmulator({ internals: time })
    await emulator.customer(to).says('Habari')
    await send(emulator, { to, text: 'x' }, key)
    expect(await emulator.keys.list()).toHaveLength(1)
    await emulator.clock.advance('24h')
    expect(await emulator.keys.list()).toEqual([])
  })
})

describe('a send that is under way', () => {
  it('is answered as a failure of the service at a reset', async () => {
    await using emulator = await createEmulator({ assumptions: { upstreamMs: 1_000_000 } })
    await emulator.customer(to).says('Habari')
    const sent = send(emulator, { to, text: 'x' }, key)
    while ((await emulator.keys.list()).length === 0) await new Promise((resolve) => setImmediate(resolve))
    await emulator.reset()
    expect(await sent).toMatchObject({ status: 500, json: { code: 'internal_error' } })
    expect(await emulator.customer(to).thread()).toEqual([])
    const { items } = (await control(emulator, 'GET', 'timeline')).json
    const kinds = items.map(({ kind }: { kind: string }) => kind)
    // Neither a ghost in a thread that is gone, nor a call under an id that the new world gives out again.
    expect(kinds.slice(kinds.indexOf('resync'))).toEqual(['resync'])
  })
})
