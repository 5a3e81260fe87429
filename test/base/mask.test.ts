import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { maskPhone, maskToken, Secret } from '../../src/base/mask.ts'

it('a token shows its first six and last four characters if at least 24 stay hidden, else nothing [C AUTH-07]', () => {
  const token = 'EAAGab' + 'x'.repeat(24) + '9876'
  expect(maskToken(token)).toBe('EAAGab…9876')
  for (const short of [token.slice(1), 'EAAGab9876', 'x', '']) expect(maskToken(short)).toBe('[hidden]')
})

it('a phone number shows at most its last three digits, and none of a short one [F-87]', () => {
  expect(maskPhone('255712345678')).toBe('…678')
  expect(maskPhone('1234')).toBe('…')
  expect(maskPhone('')).toBe('…')
})

describe('a secret', () => {
  it('is shown only by its own reveal() [C R AUTH-07]', () => {
    const secret = new Secret('whsec_canary')
    const holder = { secret, list: [secret], map: new Map([['s', secret]]) }
    const ways = [
      String(secret),
      `${secret as unknown as string}!`,
      JSON.stringify(holder),
      inspect(holder, { depth: 9, showHidden: true, getters: true }),
      Object.entries(secret).join(''),
    ]
    expect(ways.join('\n')).not.toContain('canary')
    expect(secret.reveal()).toBe('whsec_canary')
  })

  it('may show a masked form instead [C AUTH-07]', () => {
    expect(String(new Secret('value', 'EAAGab…9876'))).toBe('EAAGab…9876')
  })
})
