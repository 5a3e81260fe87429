import { describe, expect, it } from 'vitest'
import {
  canonicalDeliveryId,
  DEFAULT_HEADER_PREFIX,
  DELIVERY_ID_FORM,
  deliveryHeaders,
  EVENT_NAME_FORM,
  SIGNATURE_FORM,
  TIMESTAMP_FORM,
  TIMESTAMP_TOLERANCE_SECONDS,
} from 'switchhook/contract'

const HEX = '8eb0923b2c3d6553a3dd5cf7057b107ff85a872fd17d56fb31dcf76526cc0fbe'

it('the headers of a delivery carry the name Service unless another is configured [R GEN-09]', () => {
  expect(DEFAULT_HEADER_PREFIX).toBe('X-Service-')
  expect(deliveryHeaders()).toEqual({
    signature: 'X-Service-Signature',
    timestamp: 'X-Service-Timestamp',
    event: 'X-Service-Event',
    delivery: 'X-Service-Delivery',
  })
  expect(deliveryHeaders('X-Acme-').signature).toBe('X-Acme-Signature')
})

describe('the form of a signature', () => {
  it('is sha256= and 64 hexadecimal digits in either case, and nothing else [R SIG-04]', () => {
    for (const good of [`sha256=${HEX}`, `sha256=${HEX.toUpperCase()}`]) expect(good).toMatch(SIGNATURE_FORM)
    for (const bad of [HEX, `SHA256=${HEX}`, `sha256=${HEX}0`, `sha256=${HEX.slice(1)}`, `sha256=${HEX}\n`])
      expect(bad).not.toMatch(SIGNATURE_FORM)
    for (const bad of [`\nsha256=${HEX}`, `sha256=${HEX}\nsha256=${HEX}`, `x\nsha256=${HEX}\nx`])
      expect(bad).not.toMatch(SIGNATURE_FORM)
  })

  it('a timestamp is plain decimal Unix seconds, at most 300 before or after [R SIG-05]', () => {
    expect(TIMESTAMP_TOLERANCE_SECONDS).toBe(300)
    for (const good of ['1763625600', '1', '999999999999999']) expect(good).toMatch(TIMESTAMP_FORM)
    for (const bad of ['', '0', '01', '+1', '-1', '1.0', '1e9', '0x1', ' 1', '1 ', '1\n', '١', '1_0', '9'.repeat(16)])
      expect(bad).not.toMatch(TIMESTAMP_FORM)
  })
})

describe('the names of events and deliveries', () => {
  it('an event name is one to a hundred plain letters [R SIG-09, F-29]', () => {
    for (const good of ['x', 'payment.refunded.v2', 'a_b-c:d', 'e'.repeat(100)]) expect(good).toMatch(EVENT_NAME_FORM)
    for (const bad of ['', 'e'.repeat(101), '.x', '__proto__', 'a b', 'a\n', 'a\r\nb', 'é', 'a/b', 'a,b', '\u001b[31m'])
      expect(bad).not.toMatch(EVENT_NAME_FORM)
  })

  it('a delivery id is up to 128 printable letters [R SIG-09, F-30]', () => {
    for (const good of ['x', '01HZY3F8Q2V6J9K4M7N0P5R8TB', 'x'.repeat(128), "';--"])
      expect(good).toMatch(DELIVERY_ID_FORM)
    for (const bad of ['', 'x'.repeat(129), 'a b', 'a\n', '\u0000', '\u007f', 'é'])
      expect(bad).not.toMatch(DELIVERY_ID_FORM)
  })

  it('a ULID has one spelling, and any other id is unchanged [R DEL-01, F-31]', () => {
    const ulid = '01HZY3F8Q2V6J9K4M7N0P5R8TB'
    expect(canonicalDeliveryId(ulid.toLowerCase())).toBe(ulid)
    expect(canonicalDeliveryId(ulid)).toBe(ulid)
    expect(canonicalDeliveryId('7zzzzzzzzzzzzzzzzzzzzzzzzz')).toBe('7ZZZZZZZZZZZZZZZZZZZZZZZZZ')
    for (const other of ['8zzzzzzzzzzzzzzzzzzzzzzzzz', 'evt_a', `${ulid.toLowerCase()}x`, '01hzy3f8q2v6j9k4m7n0p5r8ti'])
      expect(canonicalDeliveryId(other)).toBe(other)
  })
})
