import { describe, expect, it } from 'vitest'
import { verifyDelivery } from 'switchhook'
import { botOn } from './bot.ts'
import { ACCEPTED, receiverOn, REFUSED } from './receiver.ts'
import { headersOf, MESSAGE, NOW, SECONDS, SECRET } from './signing.ts'

/** The answer to a delivery that was signed at `SECONDS`, when the receiver's clock is that far from it. */
async function after(ms: number) {
  const service = receiverOn()
  service.time.now = NOW + ms
  return { answer: await service.post(MESSAGE, headersOf(MESSAGE)), stored: service.storeCalls() }
}

describe('the time of a delivery', () => {
  it.each([0, 300_000])('is accepted at %i ms from now, before and after [R SIG-05, F-15]', async (ms) => {
    expect((await after(ms)).answer).toMatchObject(ACCEPTED)
    expect((await after(-ms)).answer).toMatchObject(ACCEPTED)
  })

  it.each([300_001, 86_400_000])(
    'is refused at %i ms from now, before and after, and the store is not called [R SIG-05, F-15]',
    async (ms) => {
      expect(await after(ms)).toMatchObject({ answer: REFUSED, stored: 0 })
      expect(await after(-ms)).toMatchObject({ answer: REFUSED, stored: 0 })
    },
  )

  it('is checked by the machine’s clock, and stored by the store’s, however far that one is off [R SIG-05]', async () => {
    const service = receiverOn({ storeAhead: 3_600_000 })
    expect(await service.post(MESSAGE, headersOf(MESSAGE))).toMatchObject(ACCEPTED)
    const { deliveries } = await service.store.listDeliveries({ limit: 1 })
    expect(deliveries).toMatchObject([{ timestamp: NOW / 1_000, receivedAt: NOW + 3_600_000 }])
  })

  it('is refused if this machine’s clock returns no number [R SIG-05, F-16]', () => {
    const verdict = verifyDelivery({
      headers: headersOf(MESSAGE),
      body: MESSAGE,
      secrets: { default: SECRET },
      now: new Date(Number.NaN),
    })
    expect(verdict).toEqual({ ok: false, reason: 'stale' })
  })

  it('is read when the headers have arrived: a slow upload does not make it stale [R SIG-05, F-19]', async () => {
    const service = receiverOn()
    service.time.now = NOW + 299_000
    const answer = await service.take({
      headers: headersOf(MESSAGE),
      readBody: async () => {
        service.time.now += 9_000
        return { bytes: MESSAGE }
      },
    })
    expect(answer).toMatchObject(ACCEPTED)
    expect(await service.store.unread(1)).toMatchObject([{ receivedAt: NOW + 299_000, timestamp: SECONDS }])
  })
})

describe('a delivery with a valid signature and an expired time', () => {
  it('has its own log line, beside forgeries of the same moment [R DEL-12, F-18]', async () => {
    const service = receiverOn()
    await service.post(Buffer.from('{}'), headersOf(MESSAGE))
    service.time.now += 301_000
    await service.post(MESSAGE, headersOf(MESSAGE))
    const [forged, stale, ...rest] = service.warnings()
    expect(forged).toMatchObject({ level: 'warn', about: { reason: 'mismatch' } })
    expect(stale).toMatchObject({ level: 'warn', message: expect.stringMatching(/right signature.*clock/) })
    expect(rest).toEqual([])
  })

  it('is refused like any other, and not stored by default [R DEL-12]', async () => {
    const service = receiverOn()
    service.time.now += 301_000
    const stale = await service.post(MESSAGE, headersOf(MESSAGE))
    expect(stale).toEqual(await service.post(MESSAGE, {}))
    expect(await service.states()).toEqual({})
  })
})

describe('a delivery that is stored despite its time', () => {
  async function keeping() {
    const on = botOn({ options: { keepStale: true } })
    const ran: (string | undefined)[] = []
    on.bot.otherwise((ctx) => {
      ran.push(ctx.message.text)
    })
    await on.bot.start()
    return { ...on, ran }
  }

  it('is refused, stored once with its bytes, and never handled [R DEL-12]', async () => {
    const { post, time, counts, ran } = await keeping()
    time.now += 301_000
    for (let each = 0; each < 3; each++) expect(await post()).toMatchObject(REFUSED)
    expect((await counts()).deliveries).toEqual({ stale: 1 })
    expect(ran).toEqual([])
  })

  it('does not suppress the same delivery once the clock is right again [R DEL-12, F-18]', async () => {
    const { post, time, until, ran } = await keeping()
    time.now += 600_000
    expect(await post()).toMatchObject(REFUSED)
    time.now -= 600_000
    expect(await post()).toMatchObject(ACCEPTED)
    await until('items', 'done', 1)
    expect(ran).toEqual(['Habari'])
  })
})
