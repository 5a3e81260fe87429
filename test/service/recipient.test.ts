import { expect, it } from 'vitest'
import { encodeSend } from '../../src/service/wire.ts'
import { recipient } from '../../src/service/recipient.ts'
import { refused, refusedSend } from './refused.ts'

it('a send goes to 6 to 20 digits, and a bot to no more than the 15 of a phone number [C SEND-01]', () => {
  const sent = (to: string) => JSON.parse(encodeSend('hi', to)).to as string
  expect([sent('+255 712'), sent('25571234567890123456')]).toEqual(['255712', '25571234567890123456'])
  expect(refusedSend('hi', '25571')).toBe('to: must have 6 to 20 digits')
  expect(refusedSend('hi', '255712345678901234567')).toContain('to: must have 6 to 20 digits')
  expect([recipient('255712'), recipient('255712345678901')]).toEqual(['255712', '255712345678901'])
  expect(refused(() => recipient('25571'))).toBe('the recipient must have 6 to 15 digits, got 5')
  expect(refused(() => recipient('2557123456789012'))).toContain('got 16')
})

it('strips one leading +, spaces, hyphens and parentheses, because the service accepts only digits [C SEND-01]', () => {
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
])('refuses %s without repeating it [C SEND-01]', (_, to) => {
  const message = refused(() => recipient(to))
  expect(refused(() => encodeSend('hi', to))).toBe(message)
  if (to !== '') expect(message).not.toContain(to)
})

it('refuses the (0) of a national form, which would make it somebody else’s number [C SEND-01]', () => {
  expect(refused(() => recipient('+44 (0)20 7946 0958'))).toContain('(0)')
  expect(refusedSend('hi', '+44 ( 0 ) 20 7946 0958')).toContain('without it')
})

it('identifies a hidden user id, and a JavaScript number, which loses digits and leading signs [C SEND-01]', () => {
  expect(refused(() => recipient('US.13491208655302741918'))).toContain('hidden user id')
  expect(refused(() => recipient(255712345678 as unknown as string))).toContain('got number')
})
