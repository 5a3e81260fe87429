import type { KeyObject } from 'node:crypto'
import { describe, expect, it, vi } from 'vitest'
import { type BodyLimits, joinedParts } from '../../../src/bot/inbox/http.ts'
import { createKeyring } from '../../../src/bot/inbox/signature.ts'
import { ACCEPTED, receiverOn, REFUSED } from './receiver.ts'
import { headersOf, MESSAGE, NOW, SECRET } from './signing.ts'

const MIB = 1_048_576

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
    const second = reading(24 * MIB, held)
    expect(await reading(1)).toMatchObject({ status: 503, headers: { connection: 'close' } })
    end()
    expect(await first).toMatchObject(ACCEPTED)
    expect(await second).toMatchObject({ status: 200 })
    expect(await reading(64 * MIB)).toMatchObject({ status: 200 })
  })

  it('in parts of one byte is joined as it arrives, with at most a quarter more room than its bytes [F-34]', () => {
    const parts = joinedParts()
    for (let at = 0; at < MIB; at++) {
      parts.add(Buffer.of(at % 251))
      if (at % 65_537 === 65_536)
        expect(parts.bytes().buffer.byteLength).toBeLessThanOrEqual(Math.max(2 * 65_536, 1.25 * at) + 65_536)
    }
    expect(parts.bytes().equals(Uint8Array.from({ length: MIB }, (_, at) => at % 251))).toBe(true)
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

describe('a forgery at an endpoint of many numbers', () => {
  const secrets = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`n${at}`, `whsec_${at}`]))
  const large = Buffer.alloc(MIB, 0x20)

  it('leaves turns to other work while its large body is checked with every secret, and so do several together [R SIG-06]', async () => {
    const service = receiverOn({ secrets })
    let turns = 0
    let checking = true
    const count = () => {
      turns++
      if (checking) setImmediate(count)
    }
    setImmediate(count)
    const forged = headersOf(large, { secret: 'whsec_forged' })
    const answers = await Promise.all(Array.from({ length: 5 }, () => service.post(large, forged)))
    checking = false
    expect(answers).toMatchObject(Array.from({ length: 5 }, () => REFUSED))
    expect(turns, 'at most four of them in a turn').toBeGreaterThan((5 * 40) / 4 - 1)
    expect(await service.post(large, headersOf(large, { secret: 'whsec_39' }))).toMatchObject(ACCEPTED)
  })

  it('is explained only where a line is written, and only if its body is small', async () => {
    const keyring = createKeyring({ default: SECRET })
    const exported = vi.spyOn(keyring.keys[0]?.key as KeyObject, 'export')
    const all = { live: async () => keyring, complete: () => true, renewed: async () => undefined }
    const service = receiverOn({ keys: { all, at: () => undefined } })
    for (let each = 0; each < 20; each++)
      expect(await service.post(MESSAGE, headersOf(MESSAGE, { secret: 'whsec_forged' }))).toMatchObject(REFUSED)
    expect(service.warnings()).toMatchObject([
      { about: { probably: expect.stringContaining('no secret of this bot') } },
    ])
    expect(exported).toHaveBeenCalledTimes(1)
    service.time.now += 10_000
    expect(await service.post(large, headersOf(large, { secret: 'whsec_forged' }))).toMatchObject(REFUSED)
    expect(service.warnings().at(-1)?.about).toEqual({ reason: 'mismatch', more: 19 })
    expect(exported).toHaveBeenCalledTimes(1)
  })
})

it.each([
  ['is not believed: the API says how far', 60_000, 60_000],
  ['counts for nothing if the API is no emulator', undefined, 0],
])('the header with the offset of an emulator’s clock %s', async (_what, emulatorOffset, ahead) => {
  const service = receiverOn({ local: true, ...(emulatorOffset !== undefined && { emulatorOffset }) })
  await service.post(MESSAGE, { ...headersOf(MESSAGE), 'x-emulator-clock-offset': '3600000' })
  expect(service.clock.service() - NOW).toBe(ahead)
})
