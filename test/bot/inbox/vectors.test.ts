import { describe, expect, it } from 'vitest'
import { signDelivery, verifyDelivery } from 'switchhook'
import { NOW, SECONDS, VECTORS } from './signing.ts'

const BODY_BYTES = 1_048_575

describe('the vectors, which openssl made', () => {
  it('are all here, the one of a megabyte by its recipe', () => {
    expect(VECTORS).toHaveLength(14)
    expect(VECTORS.at(-1)?.body.byteLength).toBe(BODY_BYTES)
  })

  for (const { name, note, secret, timestamp, body, signature } of VECTORS) {
    it(`are verified, and signed as openssl does: ${name}, ${note} [R SIG-01]`, () => {
      const headers = { 'x-service-signature': signature, 'x-service-timestamp': timestamp }
      expect(verifyDelivery({ headers, body, secrets: { shop: secret }, now: new Date(NOW) })).toEqual({
        ok: true,
        subscription: 'shop',
        timestamp: SECONDS,
      })
      const signed = signDelivery({ body, secret, at: new Date(NOW), event: 'message.received', deliveryId: 'd1' })
      expect(signed).toEqual({
        'X-Service-Signature': signature,
        'X-Service-Timestamp': timestamp,
        'X-Service-Event': 'message.received',
        'X-Service-Delivery': 'd1',
      })
    })
  }
})
