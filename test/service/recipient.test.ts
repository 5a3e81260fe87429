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

it('strips one leading + or 00, blanks, hyphens, brackets and invisible marks, because the service accepts only digits [C SEND-01]', () => {
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
  ['two prefixes', '0000255712345678'],
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

const PASTED = [
  '+255712345678',
  '00255712345678',
  '00 255 712 345 678',
  '+00255712345678',
  '＋255712345678',
  '255\u00ad712345678',
  '\u200b255712345678',
  '255712345678\u200b',
  '\u202a+255 712 345 678\u202c',
  '\u2066+255712345678\u2069',
  '\u200e255712345678\u200f',
  '\ufeff255712345678',
  '255\u2011712\u2011345\u2011678',
  '255–712–345–678',
  '255—712—345—678',
  '255−712−345−678',
  '255－712－345－678',
  '255\u00a0712\u202f345\u2009678',
  '255\u3000712345678',
  '255\t712\n345678\r\n',
  '(255) 712 345 678',
  '+(255)712345678',
  '[255] 712-345-678',
  '{255}712345678',
  '（255）712345678',
  '(+255) 712 345 678',
  '(00255) 712 345 678',
]

it.each(PASTED)('reads a pasted number: %j [C SEND-01]', (to) => {
  expect(recipient(to)).toBe('255712345678')
})

it.each([
  ['255.712.345.678', 'U+002E'],
  ['255/712345678', 'U+002F'],
  ['255_712345678', 'U+005F'],
  ['tel:255712345678', 'U+0074, U+0065, U+006C …'],
  ['255712345678,', 'U+002C'],
  ['255712345678;255712345679', 'U+003B'],
  ['255712345678 x12', 'U+0078'],
  ['25571234567O', 'U+004F'],
  ['25571234567l', 'U+006C'],
  ['255*712345678', 'U+002A'],
  ['#255712345678', 'U+0023'],
  ['~255712345678', 'U+007E'],
  ['255712345678\u0000', 'U+0000'],
  ['2557123٤5678', 'U+0664'],
  ['２55712345678', 'U+FF12'],
  ['++255712345678', 'U+002B'],
  ['255+712345678', 'U+002B'],
  ['asha@example.com', 'U+0061, U+0073, U+0068 …'],
  ['"255712345678"', 'U+0022'],
  ['📞255712345678', 'U+1F4DE'],
  ['-', 'no digits'],
  ['\u200b', 'no digits'],
  ['+', 'U+002B'],
  ['00', 'begins with 0'],
  ['0712345678', 'begins with 0'],
  ['+0255712345678', 'begins with 0'],
])('shows what is wrong with %j, by its code points [C SEND-01]', (to, shown) => {
  expect(refused(() => recipient(to))).toContain(shown)
})

it.each(['+44 [0] 20 7946 0958', '+44 （0）20 7946 0958', '+44 {0} 2079460958'])(
  'refuses a 0 in any brackets: %s [C SEND-01]',
  (to) => {
    expect(refused(() => recipient(to))).toContain('(0)')
  },
)
