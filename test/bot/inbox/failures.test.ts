import { describe, expect, it } from 'vitest'
import { ACCEPTED, receiverOn, REFUSED } from './receiver.ts'
import { headersOf, MESSAGE, NOW, SECONDS, SECRET } from './signing.ts'

const FORGED = { ...headersOf(MESSAGE), 'x-service-signature': `sha256=${'0'.repeat(64)}` }

describe('the count towards 20 failures', () => {
  it('warns at 5, 10 and 15 deliveries in a row that were not acknowledged [R DEL-07]', async () => {
    const service = receiverOn({ accept: () => Promise.reject(new Error('disk full')) })
    for (let each = 0; each < 20; each++) await service.post(MESSAGE, headersOf(MESSAGE, { timestamp: SECONDS + each }))
    expect(service.failureCounts().map(({ about }) => about['failures'])).toEqual([5, 10, 15])
  })

  it('begins again with each acknowledgement [R DEL-07]', async () => {
    let fail = true
    const service = receiverOn({
      accept: () => (fail ? Promise.reject(new Error('x')) : Promise.resolve({ as: 'stored' as const })),
    })
    for (let round = 0; round < 5; round++) {
      fail = true
      for (let each = 0; each < 4; each++)
        await service.post(MESSAGE, headersOf(MESSAGE, { timestamp: SECONDS + 4 * round + each }))
      fail = false
      expect(await service.post(MESSAGE, headersOf(MESSAGE))).toMatchObject(ACCEPTED)
    }
    expect(service.failureCounts()).toEqual([])
  })

  it('is never raised by a forger [R DEL-07 DEL-12]', async () => {
    const service = receiverOn()
    await service.post(MESSAGE, headersOf(MESSAGE))
    for (let each = 0; each < 100; each++) await service.post(MESSAGE, FORGED)
    expect(service.failureCounts()).toEqual([])
  })

  it.each(['too_large', 'timeout'] as const)(
    'has a separate count for bodies that could not be verified, because a stranger can send them: %s [R DEL-07]',
    async (problem) => {
      const service = receiverOn()
      const readBody = async () => ({ problem })
      for (const headers of [{}, { ...FORGED, 'x-service-signature': 'sha256=00' }])
        for (let each = 0; each < 20; each++) await service.take({ headers, readBody })
      expect(service.failureCounts()).toEqual([])
      for (let each = 0; each < 5; each++) await service.take({ headers: headersOf(MESSAGE), readBody })
      const message = expect.stringMatching(/^5 requests in a row could not be read/)
      expect(service.failureCounts()).toMatchObject([{ about: { failures: 5 }, message }])
      if (problem === 'too_large') expect(service.failureCounts()[0]?.about['last']).toContain('raise bodyLimit')
    },
  )

  it('is raised by a stale delivery with a valid signature [R DEL-12]', async () => {
    const service = receiverOn()
    service.time.now += 400_000
    for (let each = 0; each < 5; each++) await service.post(MESSAGE, headersOf(MESSAGE, { timestamp: SECONDS + each }))
    expect(service.failureCounts().map(({ about }) => about['failures'])).toEqual([5])
  })

  it('has one captured delivery once, however often it is posted, under whatever name [R DEL-07 DEL-12]', async () => {
    const service = receiverOn()
    service.time.now += 400_000
    for (let each = 0; each < 20; each++) {
      const delivery = `01HZY3F8Q2V6J9K4M7N0P5R8${each < 10 ? `A${each}` : each}`
      expect(await service.post(MESSAGE, headersOf(MESSAGE, { delivery }))).toMatchObject(REFUSED)
    }
    expect(service.failureCounts()).toEqual([])
    for (let each = 1; each <= 4; each++) await service.post(MESSAGE, headersOf(MESSAGE, { timestamp: SECONDS + each }))
    expect(service.failureCounts().map(({ about }) => about['failures'])).toEqual([5])
  })

  it('has a captured delivery once if it cannot be stored either [R DEL-07]', async () => {
    const service = receiverOn({ accept: () => Promise.reject(new Error('disk full')) })
    for (let each = 0; each < 20; each++) await service.post(MESSAGE, headersOf(MESSAGE))
    expect(service.failureCounts()).toEqual([])
  })

  it('has no delivery that was signed more than 24 hours ago, and one of exactly 24 hours [R DEL-07 DEL-12]', async () => {
    const service = receiverOn()
    service.time.now += 86_400_000
    const post = (timestamp: number) => service.post(MESSAGE, headersOf(MESSAGE, { timestamp }))
    for (let each = 1; each <= 20; each++) await post(SECONDS - each)
    expect(service.failureCounts()).toEqual([])
    for (let each = 0; each < 5; each++) await post(SECONDS + each)
    expect(service.failureCounts().map(({ about }) => about['failures'])).toEqual([5])
  })

  it('suspects a wrong secret if no signature has been right since the start', async () => {
    const service = receiverOn()
    for (let each = 0; each < 50; each++) await service.post(MESSAGE, FORGED)
    expect(service.failureCounts().map(({ message }) => message)).toEqual([
      expect.stringContaining('signing secret is probably wrong'),
    ])
  })
})

describe('a receiver', () => {
  it('is not ready for ten seconds after a delivery that it could not store, whichever way the clock moves, or until it stores one [R DEL-02, F-50]', async () => {
    let full = true
    const service = receiverOn({
      accept: () => (full ? Promise.reject(new Error('SQLITE_FULL')) : Promise.resolve({ as: 'stored' as const })),
    })
    const deliver = () => service.post(MESSAGE, headersOf(MESSAGE))
    expect(await service.ready()).toBe(true)
    await deliver()
    service.time.now += 9_999
    expect(await service.ready()).toBe(false)
    service.time.now += 1
    expect(await service.ready()).toBe(true)

    await deliver()
    expect(await service.ready()).toBe(false)
    service.time.now -= 3_600_000
    expect(await service.ready()).toBe(true)

    service.time.now = NOW
    await deliver()
    full = false
    await deliver()
    expect(await service.ready()).toBe(true)
  })

  it('answers 503, and not 401, to a signature of no known secret while a number’s secret is unknown [R SIG-06, F-13]', async () => {
    let asleep = true
    const service = receiverOn({
      secrets: {
        shop: 'whsec_shop',
        clinic() {
          if (asleep) throw new Error('the vault sleeps')
          return SECRET
        },
      },
    })
    expect(await service.post(MESSAGE, headersOf(MESSAGE))).toMatchObject({ status: 503 })
    asleep = false
    service.time.now += 30_000
    expect(await service.post(MESSAGE, headersOf(MESSAGE))).toMatchObject(ACCEPTED)
    expect(await service.post(MESSAGE, headersOf(MESSAGE, { secret: 'whsec_forged' }))).toMatchObject(REFUSED)
  })
})
