import { describe, expect, it } from 'vitest'
import { signDelivery, SwitchhookError, verifyDelivery } from 'switchhook'
import type { IncomingHeaders } from '../../../src/bot/inbox/http.ts'
import { headersOf, NOW, SECONDS, SECRET, vector } from './signing.ts'

const { body, signature, timestamp } = vector('bom')
const GOOD = { ok: true, subscription: 'default', timestamp: SECONDS }
const verify = (headers: IncomingHeaders, headerPrefix?: string) =>
  verifyDelivery({
    headers,
    body,
    secrets: { default: SECRET },
    now: new Date(NOW),
    ...(headerPrefix !== undefined && { headerPrefix }),
  })

describe('verifyDelivery', () => {
  it('reads a Headers object [R SIG-01]', () => {
    const headers = new Headers({ 'X-Service-Signature': signature, 'X-Service-Timestamp': timestamp })
    expect(verify(headers)).toEqual(GOOD)
  })

  it.each([
    ['X-Service-Signature', 'X-Service-Timestamp'],
    ['X-SERVICE-SIGNATURE', 'X-SERVICE-TIMESTAMP'],
  ])('reads a record with names in any case: %s [R SIG-01]', (one, other) => {
    expect(verify({ [one]: signature, [other]: timestamp })).toEqual(GOOD)
  })

  it.each<[string, IncomingHeaders, string]>([
    ['no headers', {}, 'missing'],
    ['an empty list', { 'x-service-signature': [], 'x-service-timestamp': timestamp }, 'missing'],
    ['two spellings', { ...headersOf(body), 'X-Service-Timestamp': timestamp }, 'repeated'],
    ['a timestamp in words', { ...headersOf(body), 'x-service-timestamp': 'now' }, 'malformed'],
    ['the signature of other bytes', headersOf(Buffer.from('{}')), 'mismatch'],
    ['an old timestamp', headersOf(body, { timestamp: SECONDS - 301 }), 'stale'],
    [
      'an old timestamp with the signature of other bytes',
      headersOf(Buffer.from('{}'), { timestamp: SECONDS - 301 }),
      'mismatch',
    ],
  ])('returns why it refuses: %s [R SIG-04 SIG-08, R DEL-12]', (_, headers, reason) => {
    expect(verify(headers)).toEqual({ ok: false, reason })
  })

  it.each(['X-Acme-', 'x-acme-'])('accepts the service’s real name: %s [R GEN-09]', (prefix) => {
    const headers = headersOf(body, { prefix: 'x-acme-' })
    expect(verify(headers, prefix)).toEqual(GOOD)
    expect(verify(headers)).toEqual({ ok: false, reason: 'missing' })
    expect(verify(headersOf(body), prefix)).toEqual({ ok: false, reason: 'missing' })
  })
})

describe('signDelivery', () => {
  const about = { secret: SECRET, at: new Date(NOW + 999), event: 'order.paid', deliveryId: 'd1' }

  it('signs a text as its UTF-8 bytes, at the second that has begun [R SIG-01]', () => {
    const { body, signature } = vector('escaped-and-raw-unicode')
    const signed = { 'X-Service-Signature': signature, 'X-Service-Timestamp': '1763625600' }
    expect(signDelivery({ ...about, body: body.toString('utf8') })).toMatchObject(signed)
    expect(signDelivery({ ...about, body: new Uint8Array(body) })).toMatchObject(signed)
  })

  it('names the headers by the service’s real name [R GEN-09]', () => {
    expect(Object.keys(signDelivery({ ...about, body: '{}', headerPrefix: 'X-Acme-' }))).toEqual([
      'X-Acme-Signature',
      'X-Acme-Timestamp',
      'X-Acme-Event',
      'X-Acme-Delivery',
    ])
  })

  it('refuses an invalid moment [R SIG-05]', () => {
    const sign = () => signDelivery({ ...about, body: '{}', at: new Date('yesterday') })
    expect(sign).toThrow(SwitchhookError)
    expect(sign).toThrow(/at:/)
  })
})
