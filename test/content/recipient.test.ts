import { expect, it } from 'vitest'
import { recipient, wireOf } from '../../src/content/index.ts'
import { refused } from './refused.ts'

it('C SEND-01 takes 6 to 20 digits and refuses 5 and 21', () => {
  expect(recipient('255712')).toBe('255712')
  expect(recipient('25571234567890123456')).toBe('25571234567890123456')
  expect(refused(() => recipient('25571'))).toBe('the recipient must have 6 to 20 digits, got 5')
  expect(refused(() => recipient('255712345678901234567'))).toContain('got 21')
})

it('C SEND-01 strips one leading +, spaces, hyphens and parentheses, since the service takes digits only', () => {
  expect(recipient('+255 712 345-678')).toBe('255712345678')
  expect(recipient(' +1 (202) 555-0143')).toBe('12025550143')
  expect(recipient('255\u00a0712345678')).toBe('255712345678')
  refused(() => recipient('++255712345678'))
  refused(() => recipient('255+712345678'))
})

it.each([
  ['letters', '255712CALL12'],
  ['an address', 'asha@example.com'],
  ['a hidden user id', 'US.13491208655302741918'],
  ['a national number', '0712345678'],
  ['an international prefix', '00255712345678'],
  ['dots', '255.712.345.678'],
  ['digits of another script', '٢٥٥٧١٢٣٤٥٦٧٨'],
  ['nothing', ''],
])('C SEND-01 refuses %s without repeating it', (_, to) => {
  const message = refused(() => recipient(to))
  if (to !== '') expect(message).not.toContain(to)
})

it('C SEND-01 names a hidden user id as what it is', () => {
  expect(refused(() => recipient('US.13491208655302741918'))).toContain('hidden user id')
})

it('C SEND-01 refuses a JavaScript number, which loses digits and leading signs', () => {
  expect(refused(() => recipient(255712345678 as unknown as string))).toContain('got number')
})

it('C SEND-01 puts the bare digits into the body', () => {
  expect(wireOf('hi', '+255 712 345 678').to).toBe('255712345678')
})
