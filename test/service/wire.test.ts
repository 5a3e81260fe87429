import { describe, expect, it } from 'vitest'
import { sendSchema } from '../../src/service/contract.ts'
import { audio, buttons, document, image, link, list, text, video } from '../../src/service/interactive.ts'
import type { Content, OneTimeCode, Template } from '../../src/service/content.ts'
import { encodeSend, wireOf } from '../../src/service/wire.ts'
import { oneTimeCode } from '../../src/service/one-time-code.ts'
import { template } from '../../src/service/template.ts'
import { refused } from './refused.ts'

const TO = '255712345678'

const one = [{ id: 'a', title: 'A' }]
const contents: readonly [string, () => Content | Template | OneTimeCode][] = [
  ['code', () => oneTimeCode('login_code', 'sw', '004711')],
  ['video', () => video('https://cdn.example.com/a.mp4')],
  ['string', () => 'Habari'],
  ['text', () => text('Habari')],
  ['buttons', () => buttons('b', one, { footer: 'f' })],
  ['list', () => list('b', { S: one }, { button: 'Show' })],
  ['link', () => link('b', { title: 't', url: 'https://shop.example' })],
  ['image', () => image('https://cdn.example.com/a.jpg', { caption: 'c' })],
  ['audio', () => audio('https://cdn.example.com/a.ogg')],
  ['document', () => document('https://cdn.example.com/a.pdf', { filename: 'a.pdf' })],
  [
    'template',
    () =>
      template('t', 'sw', { header: { image: 'https://cdn.example.com/a.jpg' }, body: ['1'], buttons: ['x', null] }),
  ],
]

describe.each(contents)('the wire form of %s', (_, make) => {
  it('passes the contract unchanged, with its type [C SEND-02]', () => {
    const wire = wireOf(make(), TO)
    expect(sendSchema.parse(wire)).toEqual(wire)
    expect(wire.type).toBeTypeOf('string')
  })

  it('has the same bytes whenever it is made [C IDEM-07]', () => {
    expect(encodeSend(make(), TO)).toBe(encodeSend(make(), `+${TO}`))
    expect(JSON.parse(encodeSend(make(), TO))).toEqual(wireOf(make(), TO))
  })
})

it('does not depend on the order in which an app wrote its members [C IDEM-07]', () => {
  const a = buttons('b', [{ id: 'i', title: 't' }], { footer: 'f' })
  const b = buttons('b', [{ title: 't', id: 'i' }], { footer: 'f' })
  expect(encodeSend(a, TO)).toBe(encodeSend(b, TO))
})

it('encodes to known bytes [C SEND-02]', () => {
  expect(encodeSend('Habari 👋', TO)).toBe('{"to":"255712345678","type":"text","text":"Habari 👋"}')
})

it('cannot be changed after the check [C IDEM-07]', () => {
  const rows = [{ id: 'a', title: 'A' }]
  const choice = list('b', rows)
  const before = encodeSend(choice, TO)
  ;(rows[0] as { title: string }).title = 'x'.repeat(99)
  rows.push({ id: 'b', title: 'B' })
  expect(encodeSend(choice, TO)).toBe(before)
  expect(() => Object.assign(choice, { kind: 'text' })).toThrow(TypeError)
  const { wire } = choice as unknown as { wire: { interactive: { sections: unknown[] } } }
  expect(() => wire.interactive.sections.push('c')).toThrow(TypeError)
})

it('refuses a content that no builder made [C SEND-02]', () => {
  for (const odd of [undefined, null, 42, {}, { kind: 'text' }, { type: 'text', text: 'hi' }])
    expect(refused(() => wireOf(odd as never, TO))).toContain('a content must be a string, or made by a builder')
})
