import { describe, expect, it } from 'vitest'
import { ACCEPTED, receiverOn } from './receiver.ts'
import { headersOf, MESSAGE } from './signing.ts'

const FORGED = { ...headersOf(MESSAGE), 'x-service-signature': `sha256=${'0'.repeat(64)}` }

describe('the count towards 20 failures', () => {
  it('R DEL-07 warns at 5, 10 and 15 deliveries in a row that were not acknowledged', async () => {
    const service = receiverOn({ accept: () => Promise.reject(new Error('disk full')) })
    for (let each = 0; each < 20; each++) await service.post(MESSAGE, headersOf(MESSAGE))
    expect(service.counted().map(({ about }) => about['failures'])).toEqual([5, 10, 15])
  })

  it('R DEL-07 begins anew with each acknowledgement', async () => {
    let fail = true
    const service = receiverOn({ accept: () => (fail ? Promise.reject(new Error('x')) : Promise.resolve('stored')) })
    for (let round = 0; round < 5; round++) {
      fail = true
      for (let each = 0; each < 4; each++) await service.post(MESSAGE, headersOf(MESSAGE))
      fail = false
      expect(await service.post(MESSAGE, headersOf(MESSAGE))).toMatchObject(ACCEPTED)
    }
    expect(service.counted()).toEqual([])
  })

  it('R DEL-07 DEL-12 is never raised by a forger', async () => {
    const service = receiverOn()
    await service.post(MESSAGE, headersOf(MESSAGE))
    for (let each = 0; each < 100; each++) await service.post(MESSAGE, FORGED)
    expect(service.counted()).toEqual([])
  })

  it('R DEL-12 is raised by what is truly signed and stale', async () => {
    const service = receiverOn()
    service.time.now += 400_000
    for (let each = 0; each < 5; each++) await service.post(MESSAGE, headersOf(MESSAGE))
    expect(service.counted().map(({ about }) => about['failures'])).toEqual([5])
  })

  it('suspects a wrong secret where nothing has had a right signature since the start', async () => {
    const service = receiverOn()
    for (let each = 0; each < 50; each++) await service.post(MESSAGE, FORGED)
    expect(service.counted().map(({ message }) => message)).toEqual([
      expect.stringContaining('signing secret is probably wrong'),
    ])
  })
})
