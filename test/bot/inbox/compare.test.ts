import type * as Crypto from 'node:crypto'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { verifyDelivery } from 'switchhook'
import { headersOf, MESSAGE, NOW } from './signing.ts'

const compared: [number, number][] = []

vi.mock('node:crypto', async (original) => {
  const crypto = await original<typeof Crypto>()
  return {
    ...crypto,
    timingSafeEqual(a: NodeJS.ArrayBufferView, b: NodeJS.ArrayBufferView) {
      compared.push([a.byteLength, b.byteLength])
      return crypto.timingSafeEqual(a, b)
    },
  }
})

beforeEach(() => {
  compared.length = 0
})

const SECRETS = { a: ['whsec_a', 'whsec_a2'], b: 'whsec_b', c: 'whsec_c' }
const judge = (headers: Record<string, string>) =>
  verifyDelivery({ headers, body: MESSAGE, secrets: SECRETS, now: new Date(NOW) })

describe('the comparison of signatures', () => {
  it.each(['whsec_a', 'whsec_a2', 'whsec_b', 'whsec_c', 'whsec_none'])(
    'is in constant time, over 32 bytes, against every secret, whichever matches: %s [R SIG-04, F-12, F-20]',
    (secret) => {
      judge(headersOf(MESSAGE, { secret }))
      expect(compared).toEqual(Array.from({ length: 4 }, () => [32, 32]))
    },
  )

  it('does not begin before signature and timestamp are well-formed [R SIG-04 SIG-08, F-5]', () => {
    const good = headersOf(MESSAGE, { secret: 'whsec_a' })
    judge({ ...good, 'x-service-signature': `${good['x-service-signature']}zz` })
    judge({ ...good, 'x-service-timestamp': '1763625600.5' })
    expect(compared).toEqual([])
  })
})
