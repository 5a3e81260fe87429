import { describe, expect, it } from 'vitest'
import type { Content } from '../../src/service/content.ts'
import { codePoints } from '../../src/service/contract.ts'
import { buttons, document, image, link, list, video } from '../../src/service/interactive.ts'
import { splitText, withEllipsis } from '../../src/service/long-text.ts'
import { encodeSend } from '../../src/service/wire.ts'
import { refused, refusedSend } from './refused.ts'

const FAMILY = '👨‍👩‍👧‍👦'
const FLAG = '🇹🇿'
const LINK = 'https://shop.example/orders?id=7781&lang=sw#top'
const THUMB = '👍🏽'
const KEYCAP = '1️⃣'

/** A text, the most characters of a part, and the parts, as a reader would cut it. */
const SPLIT: readonly [why: string, text: string, max: number, parts: readonly string[]][] = [
  ['a paragraph', 'The first paragraph.\n\nThe second.', 30, ['The first paragraph.', 'The second.']],
  ['a paragraph of Windows', 'The first paragraph.\r\n\r\nThe second.', 30, ['The first paragraph.', 'The second.']],
  [
    'a paragraph with a blank line of blanks',
    'The first paragraph.\n  \nThe second.',
    30,
    ['The first paragraph.', 'The second.'],
  ],
  [
    'the last paragraph that fits',
    'One two three.\n\nFour five.\n\nSix seven eight.',
    30,
    ['One two three.\n\nFour five.', 'Six seven eight.'],
  ],
  ['a paragraph before a line', 'One two three.\n\nFour\nfive six.', 24, ['One two three.', 'Four\nfive six.']],
  ['a line', 'Shoes 42\nSocks 39\nHat', 20, ['Shoes 42\nSocks 39', 'Hat']],
  ['a sentence', 'Your order is ready. Come by at nine.', 30, ['Your order is ready.', 'Come by at nine.']],
  ['a question', 'Is it still open today? Yes, until nine.', 30, ['Is it still open today?', 'Yes, until nine.']],
  ['a Chinese sentence', '您的订单已经准备好了。请您明天来取。', 12, ['您的订单已经准备好了。', '请您明天来取。']],
  ['a Hindi sentence', 'आपका ऑर्डर तैयार है। कल आइए।', 24, ['आपका ऑर्डर तैयार है।', 'कल आइए।']],
  ['an Arabic sentence', 'هل المتجر مفتوح اليوم؟ نعم حتى التاسعة', 28, ['هل المتجر مفتوح اليوم؟', 'نعم حتى التاسعة']],
  ['a word', 'seven eight nine ten eleven', 12, ['seven eight', 'nine ten', 'eleven']],
  ['a word behind many blanks', 'seven eight      nine ten', 12, ['seven eight', 'nine ten']],
  ['Thai words, which have no blanks', 'สวัสดีครับยินดีต้อนรับ', 16, ['สวัสดีครับยินดี', 'ต้อนรับ']],
  ['a word without an end', 'a'.repeat(25), 10, ['a'.repeat(10), 'a'.repeat(10), 'a'.repeat(5)]],
  ['before a link', `Pay your order here today: ${LINK}`, 50, ['Pay your order here today:', LINK]],
  ['after a link', `${LINK} is where you pay`, 48, [LINK, 'is where you pay']],
  ['before a link that ends as a sentence', `Is it here? ${LINK} yes`, 48, ['Is it here?', LINK, 'yes']],
  [
    'before a link in Chinese',
    '请您打开shop.example/a/b/c然后付款',
    18,
    ['请您打开', 'shop.example/a/b/c', '然后付款'],
  ],
  ['before a family', `aaaaa${FAMILY}`, 10, ['aaaaa', FAMILY]],
  ['between flags', FLAG.repeat(6), 5, [FLAG.repeat(2), FLAG.repeat(2), FLAG.repeat(2)]],
  ['before a tone of skin', `${'a'.repeat(9)}${THUMB}`, 10, ['a'.repeat(9), THUMB]],
  ['before a keycap', `${'a'.repeat(9)}${KEYCAP}`, 10, ['a'.repeat(9), KEYCAP]],
  ['before a letter with its accent', `${'a'.repeat(9)}e\u0301`, 10, ['a'.repeat(9), 'e\u0301']],
  [
    'a link that no part can hold',
    `see https://x.example/${'a'.repeat(30)}`,
    24,
    ['see', 'https://x.example/aaaaaa', 'a'.repeat(24)],
  ],
  ['indented lines', 'A list of things:\n  - shoes\n  - socks', 28, ['A list of things:\n  - shoes', '  - socks']],
]

const KEPT: readonly [why: string, text: string, max: number][] = [
  ['nothing', '', 10],
  ['one character', 'a', 1],
  ['exactly the limit', 'a'.repeat(10), 10],
  ['the limit in emoji, which are two units each', '👍'.repeat(10), 10],
  ['paragraphs within the limit', 'a\n\nb\n\nc', 10],
  ['sentences within the limit', 'A b. C d.', 10],
  ['blanks at both ends', '  a b  ', 10],
  ['newlines at the end', 'a\n\n\n', 10],
  ['only blanks', '      ', 10],
  ['a family', FAMILY, 10],
  ['a flag', FLAG, 2],
  ['a link', LINK, 60],
  ['Windows lines', 'a\r\nb\r\nc', 10],
  ['a tab', 'a\tb', 10],
  ['Chinese', '您的订单', 4],
  ['Arabic', 'نعم', 3],
  ['a letter with its accent', 'e\u0301', 2],
  ['invisible characters', 'a\u200bb', 3],
  ['a keycap', KEYCAP, 3],
  ['markdown', '*a* _b_', 10],
  ['JSON', '{"a":1}', 7],
  ['4096 characters', 'word '.repeat(819).padEnd(4096, '!'), 4096],
]

describe('a text that is too long', () => {
  it.each(SPLIT)('is cut at %s', (_, text, max, parts) => {
    expect(splitText(text, max)).toEqual(parts)
  })

  it.each(KEPT)('stays unchanged within the limit: %s', (_, text, max) => {
    expect(splitText(text, max)).toEqual([text])
  })

  it('loses nothing but blanks, and each part keeps whole characters within the limit, whatever it is made of', () => {
    const pieces = [
      FAMILY,
      FLAG,
      THUMB,
      KEYCAP,
      'e\u0301',
      'word',
      ' ',
      '\n',
      '\n\n',
      '. ',
      '。',
      ` ${LINK} `,
      ' ',
      'สวัสดี',
      '\u200b',
    ]
    const whole = new Intl.Segmenter('en', { granularity: 'grapheme' })
    let seed = 7
    const chance = () => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) / 2_147_483_648
    for (let round = 0; round < 300; round++) {
      const text = Array.from({ length: 60 }, () => pieces[Math.floor(chance() * pieces.length)]).join('')
      const max = 60 + Math.floor(chance() * 60)
      const parts = splitText(text, max)
      const said = (one: string) => one.replaceAll(/[\s\u200b]/gu, '')
      expect(said(parts.join(''))).toBe(said(text))
      const characters = new Set([...whole.segment(text)].map(({ segment }) => segment))
      for (const part of parts) {
        expect(codePoints(part)).toBeLessThanOrEqual(max)
        expect([...whole.segment(part)].filter(({ segment }) => !characters.has(segment))).toEqual([])
        // A link is in one part, or in none.
        expect(part.replaceAll(LINK, '')).not.toMatch(/https|shop\.example|7781|#top/)
      }
    }
  })

  it('has no part that nobody can see', () => {
    expect(splitText(`a${' '.repeat(30)}b`, 10)).toEqual(['a', 'b'])
    expect(splitText(`a ${'\u200b'.repeat(30)} b`, 10)).toEqual(['a', 'b'])
    expect(splitText('\n'.repeat(30), 10)).toEqual([])
  })
})

it.each([
  ['Track my order', 20, 'Track my order'],
  ['Track my order please', 20, 'Track my order plea…'],
  ['Track my order today', 20, 'Track my order today'],
  ['Track my order now, please', 15, 'Track my order…'],
  [`Family of four ${FAMILY}!`, 20, 'Family of four…'],
  [FLAG.repeat(5), 8, `${FLAG.repeat(3)}…`],
  ['您的订单已经准备好了', 6, '您的订单已…'],
  ['', 5, ''],
])('a label that is too long ends with an ellipsis: %j in %i is %j', (text, max, cut) => {
  expect(withEllipsis(text, max)).toBe(cut)
})

describe('a content with labels that are too long', () => {
  const X = 'x'.repeat(2_000)
  const URL = 'https://shop.example/a.jpg'
  const fit = 'ellipsis'
  const option = { id: 'a', title: X }

  it.each<[string, (more: { fit?: 'ellipsis' }) => Content, number]>([
    ['the title of a button', (more) => buttons('b', [option], more), 20],
    ['the title of a row', (more) => list('b', [option], more), 24],
    ['the description of a row', (more) => list('b', [{ id: 'a', title: 't', description: X }], more), 72],
    ['the title of a section', (more) => list('b', { [X]: [{ id: 'a', title: 't' }] }, more), 24],
    ['the label of a list', (more) => list('b', [{ id: 'a', title: 't' }], { button: X, ...more }), 20],
    ['the caption of an image', (more) => image(URL, { caption: X, ...more }), 1024],
    ['the caption of a video', (more) => video(URL, { caption: X, ...more }), 1024],
    ['the caption of a document', (more) => document(URL, { caption: X, ...more }), 1024],
  ])('has %s cut with fit, and without it is refused with the name of that option', (_, make, max) => {
    expect(encodeSend(make({ fit }), '255712000101')).toContain(`"${'x'.repeat(max - 1)}…"`)
    expect(refusedSend(make({}))).toContain("pass fit: 'ellipsis'")
  })

  it('has no other text cut: a body, a footer, an id, and nothing of a link', () => {
    for (const content of [
      buttons(X, [{ id: 'a', title: 't' }], { fit }),
      buttons('b', [{ id: 'a', title: 't' }], { footer: X, fit }),
      buttons('b', [{ id: X, title: 't' }], { fit }),
      list(X, [{ id: 'a', title: 't' }], { fit }),
      buttons('b', [{ id: 'a', title: '' }], { fit }),
    ])
      expect(refusedSend(content)).not.toContain('fit')
    expect(refused(() => link('b', { title: X, url: URL }, { fit } as object))).toContain('"fit"')
    expect(refused(() => image(URL, { fit: 'cut' as never }))).toBe("image(): fit must be 'ellipsis'")
  })

  it('is refused if two buttons have one title once they are cut', () => {
    const two = ['a', 'b'].map((id) => ({ id, title: `The order of last Monday ${id}` }))
    expect(refusedSend(buttons('b', two, { fit }))).toContain('titles must not repeat')
  })
})
