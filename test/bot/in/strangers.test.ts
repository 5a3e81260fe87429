import { describe, expect, it } from 'vitest'
import type { BodyLimits } from '../../../src/bot/in/http.ts'
import { ACCEPTED, receiverOn, REFUSED } from './receiver.ts'
import { headersOf, MESSAGE, NOW } from './signing.ts'

const MIB = 1_048_576
/** More than what is counted for each of a few parts. */
const PARTS = 600

describe('a request of a stranger', () => {
  it.each([
    ['no signature', {}],
    ['no timestamp', { 'x-service-signature': headersOf(MESSAGE)['x-service-signature'] }],
    ['a signature that is none', { ...headersOf(MESSAGE), 'x-service-signature': 'sha256=abc' }],
    ['two signatures', { ...headersOf(MESSAGE), 'x-service-signature': ['sha256=a', 'sha256=b'] }],
  ])('with %s is refused before its body is read [R SIG-02, F-34]', async (_what, headers) => {
    const service = receiverOn()
    let reads = 0
    const readBody = async () => {
      reads++
      return { bytes: MESSAGE }
    }
    expect(await service.take({ headers, readBody })).toMatchObject(REFUSED)
    expect(reads).toBe(0)
  })

  it('can fill at most 64 MiB together with all others: further ones get 503, until there is room again [F-34]', async () => {
    const service = receiverOn()
    const headers = headersOf(MESSAGE)
    let end = () => {}
    const held = new Promise<void>((resolve) => (end = resolve))
    const reading = (bytes: number, until = Promise.resolve()) =>
      service.take({
        headers,
        readBody: async ({ take }: BodyLimits) => {
          if (!take(bytes)) return { problem: 'too_many' }
          await until
          return { bytes: MESSAGE }
        },
      })
    const first = reading(40 * MIB, held)
    const second = reading(24 * MIB - PARTS, held)
    expect(await reading(1)).toMatchObject({ status: 503, headers: { connection: 'close' } })
    end()
    expect(await first).toMatchObject(ACCEPTED)
    expect(await second).toMatchObject({ status: 200 })
    expect(await reading(64 * MIB - PARTS)).toMatchObject({ status: 200 })
  })

  it('in parts of one byte takes the room of the memory that they cost [F-34]', async () => {
    const service = receiverOn()
    let parts = 0
    const readBody = async ({ take }: BodyLimits) => {
      while (take(1)) parts++
      return { problem: 'too_many' } as const
    }
    expect(await service.take({ headers: headersOf(MESSAGE), readBody })).toMatchObject({ status: 503 })
    expect(parts * 200, 'what a part costs, measured').toBeLessThan(64 * MIB)
  })

  it('takes no room after its answer, although bytes of it may still arrive [F-34]', async () => {
    const service = receiverOn()
    const headers = headersOf(MESSAGE)
    let late: BodyLimits['take'] = () => true
    const readBody = async ({ take }: BodyLimits) => {
      late = take
      return { problem: 'timeout' } as const
    }
    expect(await service.take({ headers, readBody })).toMatchObject({ status: 408 })
    expect(late(64 * MIB)).toBe(false)
    const genuine = async ({ take }: BodyLimits) =>
      take(MESSAGE.byteLength) ? { bytes: MESSAGE } : ({ problem: 'too_many' } as const)
    expect(await service.take({ headers, readBody: genuine })).toMatchObject(ACCEPTED)
  })
})

describe('the header with the offset of an emulator’s clock', () => {
  it.each([
    ['is not believed: the API says how far', 60_000, 60_000],
    ['counts for nothing if the API is no emulator', undefined, 0],
  ])('%s', async (_what, emulatorOffset, ahead) => {
    const service = receiverOn({ local: true, ...(emulatorOffset !== undefined && { emulatorOffset }) })
    await service.post(MESSAGE, { ...headersOf(MESSAGE), 'x-emulator-clock-offset': '3600000' })
    expect(service.clock.service() - NOW).toBe(ahead)
  })
})
