import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { receiverOn } from './receiver.ts'
import { headersOf, SECONDS, signatureOf, type SentHeaders } from './signing.ts'

const NAMES = ['signature', 'timestamp', 'event', 'delivery'].map((name) => `x-service-${name}`)
NAMES.push('x-emulator-clock-offset', 'content-encoding', '__proto__', 'constructor', 'X-Service-Signature')

const text = fc.oneof(
  fc.string({ maxLength: 80 }),
  fc.string({ unit: 'binary', maxLength: 80 }),
  fc.constantFrom('', ' ', ',', 'sha256=', `sha256=${'0'.repeat(64)}`, String(SECONDS), 'NaN', '1e999', 'null'),
  fc.stringMatching(/^sha256=[0-9a-fA-F]{60,68}$/),
  fc.stringMatching(/^-?[0-9]{1,30}(\.[0-9]+)?$/),
)
const value = fc.oneof({ weight: 4, arbitrary: text }, fc.array(text, { maxLength: 3 }), fc.constant(undefined))
const headers: fc.Arbitrary<SentHeaders> = fc.dictionary(
  fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...NAMES) }, fc.string({ maxLength: 20 })),
  value,
)
const body = fc.uint8Array({ maxLength: 200 })
const method = fc.oneof({ weight: 9, arbitrary: fc.constant('POST') }, fc.string({ maxLength: 8 }))

/** Reads a header by the rules, without the receiver's own code. */
function once(sent: SentHeaders, name: string): string | undefined {
  const values = Object.entries(sent).flatMap(([key, each]) => (key.toLowerCase() === name ? (each ?? []) : []))
  return values.length === 1 && !values[0]?.includes(',') ? values[0] : undefined
}

function isSigned(sent: SentHeaders, bytes: Uint8Array): boolean {
  const timestamp = once(sent, 'x-service-timestamp')
  const signature = once(sent, 'x-service-signature')
  if (timestamp === undefined || signature === undefined || !/^[1-9]\d*$/.test(timestamp)) return false
  if (Math.abs(Number(timestamp) - SECONDS) > 300) return false
  const hex = signature.startsWith('sha256=') ? signature.slice(7).toLowerCase() : ''
  return `sha256=${hex}` === signatureOf(bytes, { timestamp })
}

describe('any request', () => {
  it('never throws, never ends in a server error, and gets 200 only if it is signed [R SIG-04 SIG-08]', async () => {
    const service = receiverOn()
    await fc.assert(
      fc.asyncProperty(headers, body, method, async (sent, bytes, by) => {
        const { status } = await service.post(bytes, sent, by)
        expect([200, 401, 405, 415]).toContain(status)
        if (status === 200) expect(isSigned(sent, bytes)).toBe(true)
      }),
      { numRuns: 100 },
    )
  })

  it('gets 200 if it is signed, whatever else its headers and body contain [R SIG-09]', async () => {
    const service = receiverOn()
    const decisive = /^(x-service-(signature|timestamp)|content-encoding)$/i
    const clean = (sent: SentHeaders): SentHeaders =>
      Object.fromEntries(Object.entries(sent).filter(([name]) => !decisive.test(name)))
    await fc.assert(
      fc.asyncProperty(headers, body, fc.integer({ min: -300, max: 300 }), async (sent, bytes, off) => {
        const { 'x-service-signature': signature, 'x-service-timestamp': timestamp } = headersOf(bytes, {
          timestamp: SECONDS + off,
        })
        const signed = { ...clean(sent), 'x-service-signature': signature, 'x-service-timestamp': timestamp }
        expect(isSigned(signed, bytes)).toBe(true)
        expect(await service.post(bytes, signed)).toMatchObject({ status: 200 })
      }),
      { numRuns: 100 },
    )
    const states = await service.states()
    expect(states['quarantined']).toBeGreaterThan(0)
  })
})
