import { describe, expect, it } from 'vitest'
import { buttons, image, link, list, text } from '../../src/service/interactive.ts'
import { encodeSend } from '../../src/service/wire.ts'
import { refusedSend } from './refused.ts'

const UNSEEN = [
  ' ',
  '\n\t',
  '\u00a0',
  '\u00ad',
  '\u034f',
  '\u061c',
  '\u115f',
  '\u180e',
  '\u2003',
  '\u200b',
  '\u200c\u200d',
  '\u200e\u200f',
  '\u2028',
  '\u202a\u202c',
  '\u2060',
  '\u2063',
  '\u2066\u2069',
  '\u2800',
  '\u3000',
  '\u3164',
  '\ufe0f',
  '\ufeff',
  '\uffa0',
  '\u{e0001}',
  ' \u200b \u2800 ',
]
const SEEN = [
  'a',
  '.',
  '-',
  '0',
  '👍',
  '❤\ufe0f',
  '👨\u200d👩\u200d👧',
  '1\ufe0f\u20e3',
  '🇹🇿',
  'می\u200cخواهم',
  'क\u094d\u200dष',
  '\u200fهلا',
  ' x ',
  '你',
  'ー',
  '…',
  '·',
  '¿',
  '‼',
  '🏴\u{e0067}\u{e0062}\u{e007f}',
]

describe('a text that nobody sees', () => {
  it.each(UNSEEN)('is refused as a blank one is: %j [C SEND-03]', (blank) => {
    expect(refusedSend(blank)).toBe('text: is required for type text')
    expect(refusedSend(text(blank))).toBe('text: is required for type text')
    expect(refusedSend(image('https://shop.example/a.jpg', { caption: blank }))).toBe(
      'media_caption: must not be blank',
    )
    expect(refusedSend(buttons('Pay?', [{ id: 'a', title: blank }]))).toBe(
      'interactive.buttons[0].title: must not be blank',
    )
    expect(refusedSend(buttons(blank, [{ id: 'a', title: 'A' }], { footer: blank }))).toBe(
      'interactive.body: must not be blank; interactive.footer: must not be blank',
    )
    expect(refusedSend(link('Invoice', { title: blank, url: 'https://shop.example' }))).toContain('cta.display_text')
    const rows = { [`${blank}x`]: [{ id: 'a', title: 'A', description: blank }], [blank]: [{ id: 'b', title: blank }] }
    expect(refusedSend(list('Which?', rows, { button: blank }))).toBe(
      [
        'interactive.button_text: must not be blank',
        'interactive.sections[0].rows[0].description: must not be blank',
        'interactive.sections[1].title: must not be blank',
        'interactive.sections[1].rows[0].title: must not be blank',
      ].join('; '),
    )
  })

  it.each(SEEN)('is not one with a shape: %j [C SEND-03]', (shown) => {
    const sent = JSON.parse(encodeSend(buttons(shown, [{ id: 'a', title: shown }]), '255712345678'))
    expect(sent.interactive).toMatchObject({ body: shown, buttons: [{ title: shown }] })
    expect(JSON.parse(encodeSend(shown, '255712345678')).text).toBe(shown)
  })

  it('is no id, and no empty caption, which is none', () => {
    expect(encodeSend(buttons('Pay?', [{ id: ' ', title: 'A' }]), '255712345678')).toContain('"id":" "')
    expect(encodeSend(image('https://shop.example/a.jpg', { caption: '' }), '255712345678')).toContain('""')
  })
})

describe('two buttons', () => {
  const two = (one: string, other: string) =>
    buttons('Pay?', [
      { id: 'a', title: one },
      { id: 'b', title: other },
    ])

  it.each([
    ['Yes', 'Yes'],
    ['Yes', 'Yes '],
    ['Yes', 'Ye\u200bs'],
    ['Caf\u00e9', 'Cafe\u0301'],
    ['Yes', 'Ｙes'],
  ])('of one title are refused: %j, %j [C SEND-07]', (one, other) => {
    expect(refusedSend(two(one, other))).toBe('interactive.buttons: titles must not repeat')
  })

  it.each([
    ['Yes', 'No'],
    ['Yes', 'yes'],
    ['Yes', 'Yes!'],
    ['👍', '👎'],
  ])('of two titles are not: %j, %j [C SEND-07]', (one, other) => {
    expect(encodeSend(two(one, other), '255712345678')).toContain(other)
  })
})
