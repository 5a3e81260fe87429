import { describe, expect, it } from 'vitest'
import { buttons, link, list } from '../../src/service/interactive.ts'
import { encodeSend, wireOf } from '../../src/service/wire.ts'
import type { Option } from '../../src/service/content.ts'
import { refused, refusedSend } from './refused.ts'

const TO = '255712345678'
const options = (count: number): Option[] =>
  Array.from({ length: count }, (_, at) => ({ id: `o${at}`, title: `O${at}` }))

describe('buttons', () => {
  it('are an interactive message of type buttons [C SEND-07]', () => {
    const content = buttons('How can we help?', [{ id: 'track', title: 'Track order' }], { footer: 'Open 9 to 17' })
    expect(wireOf(content, TO)).toEqual({
      to: TO,
      type: 'interactive',
      interactive: {
        type: 'buttons',
        body: 'How can we help?',
        footer: 'Open 9 to 17',
        buttons: [{ id: 'track', title: 'Track order' }],
      },
    })
  })

  it('are at most 3, and at least 1 by assumption [C SEND-07]', () => {
    encodeSend(buttons('b', options(3)), TO)
    expect(refusedSend(buttons('b', options(4)))).toBe(
      'interactive.buttons: 4 buttons, at most 3: use list() for up to 10',
    )
    expect(refusedSend(buttons('b', []))).toBe('interactive.buttons: 0 buttons, at least 1: add one')
  })

  it('have ids of 1 to 256 and titles of 1 to 20 characters, counted in code points [C SEND-07, F-82]', () => {
    encodeSend(buttons('b', [{ id: 'x'.repeat(256), title: '👍'.repeat(20) }]), TO)
    const one = (id: string, title: string) => refusedSend(buttons('b', [{ id, title }]))
    expect(one('x'.repeat(257), 't')).toContain('interactive.buttons[0].id: 257 characters, at most 256')
    expect(one('', 't')).toContain('interactive.buttons[0].id: 0 characters, at least 1')
    expect(one('i', '👍'.repeat(21))).toContain('interactive.buttons[0].title: 21 characters, at most 20')
    expect(one('i', '')).toContain('interactive.buttons[0].title: 0 characters, at least 1')
  })

  it('refuse repeated ids, and name them [C SEND-10]', () => {
    const twice = [...options(2), { id: 'o0', title: 'Again' }]
    expect(refusedSend(buttons('b', twice))).toBe(
      'interactive.buttons[2].id: repeats that of interactive.buttons[0].id, so the bot could not distinguish their taps',
    )
  })

  it('refuse a description, which a button would lose silently [C SEND-07]', () => {
    expect(refused(() => buttons('b', [{ id: 'i', title: 't', description: 'd' }]))).toContain('use list()')
  })

  it('refuse a header, which the service does not have [C SEND-06, C GEN-14]', () => {
    expect(refused(() => buttons('b', options(1), { header: 'h' } as object))).toContain('"header" is unknown')
  })
})

describe('list', () => {
  it('of plain rows is one section without a title, and leaves the word View to the service [C SEND-08]', () => {
    const content = list('Which one?', [
      { id: 'a', title: 'A', description: 'first' },
      { id: 'b', title: 'B' },
    ])
    expect(wireOf(content, TO)).toEqual({
      to: TO,
      type: 'interactive',
      interactive: {
        type: 'list',
        body: 'Which one?',
        sections: [
          {
            rows: [
              { id: 'a', title: 'A', description: 'first' },
              { id: 'b', title: 'B' },
            ],
          },
        ],
      },
    })
  })

  it('of an object has a section per member, in its order [C SEND-08]', () => {
    const sections = { Open: [{ id: 'a', title: 'A' }], Done: [{ id: 'b', title: 'B' }] }
    expect(wireOf(list('Orders', sections, { button: 'Show', footer: 'f' }), TO)['interactive']).toEqual({
      type: 'list',
      body: 'Orders',
      footer: 'f',
      button_text: 'Show',
      sections: [
        { title: 'Open', rows: [{ id: 'a', title: 'A' }] },
        { title: 'Done', rows: [{ id: 'b', title: 'B' }] },
      ],
    })
  })

  it('has 1 to 10 rows in total, not per section [C SEND-08]', () => {
    const rows = options(11)
    encodeSend(list('b', { A: rows.slice(0, 5), B: rows.slice(5, 10) }), TO)
    expect(refusedSend(list('b', { A: rows.slice(0, 5), B: rows.slice(5) }))).toBe(
      'interactive.sections: 11 rows in total, at most 10: show fewer, with a row for the rest',
    )
    expect(refusedSend(list('b', rows))).toContain('11 rows in total')
    expect(refusedSend(list('b', []))).toContain('interactive.sections[0].rows: 0 rows, at least 1')
    expect(refusedSend(list('b', {}))).toContain('interactive.sections: 0 rows in total, at least 1')
  })

  it('refuses a section without rows [C SEND-08]', () => {
    expect(refusedSend(list('b', { A: options(1), B: [] }))).toBe(
      'interactive.sections[1].rows: 0 rows, at least 1: leave the section out',
    )
  })

  it('keeps its own limits, which are not those of buttons [C SEND-08]', () => {
    const row = (over: Partial<Option>) => list('b', [{ id: 'i', title: 't', ...over }])
    const at = 'interactive.sections[0].rows[0]'
    encodeSend(row({ id: 'x'.repeat(200), title: '👍'.repeat(24), description: 'x'.repeat(72) }), TO)
    expect(refusedSend(row({ id: 'x'.repeat(201) }))).toContain(`${at}.id: 201 characters, at most 200`)
    expect(refusedSend(row({ id: '' }))).toContain(`${at}.id: 0 characters, at least 1`)
    expect(refusedSend(row({ title: 'x'.repeat(25) }))).toContain(`${at}.title: 25 characters, at most 24`)
    expect(refusedSend(row({ title: '' }))).toContain(`${at}.title: 0 characters, at least 1`)
    expect(refusedSend(row({ description: 'x'.repeat(73) }))).toContain(`${at}.description: 73 characters, at most 72`)
    encodeSend(list('b', { ['x'.repeat(24)]: options(1) }, { button: 'x'.repeat(20) }), TO)
    expect(refusedSend(list('b', { ['x'.repeat(25)]: options(1) }))).toContain(
      'interactive.sections[0].title: 25 characters, at most 24',
    )
    expect(refusedSend(list('b', options(1), { button: 'x'.repeat(21) }))).toContain(
      'interactive.button_text: 21 characters, at most 20',
    )
  })

  it('refuses ids that repeat across sections [C SEND-10]', () => {
    expect(refusedSend(list('b', { A: options(2), B: [{ id: 'o1', title: 'x' }] }))).toContain(
      'interactive.sections[1].rows[0].id: repeats that of interactive.sections[0].rows[1].id',
    )
  })

  it('refuses invalid rows [C SEND-08]', () => {
    expect(refused(() => list('b', 'rows' as never))).toContain('got string')
    expect(refused(() => list('b', [null] as never))).toContain('rows[0] must be an object { id, title }, got null')
  })
})

const url = 'https://shop.example'
describe.each([
  ['buttons()', (body: string, footer?: string) => buttons(body, options(1), { footer })],
  ['list()', (body: string, footer?: string) => list(body, options(1), { footer })],
  ['link()', (body: string, footer?: string) => link(body, { title: 't', url }, { footer })],
])('every interactive message: %s', (_, make) => {
  it('has a text of 1 to 1024 characters, not 4096 [C SEND-06]', () => {
    encodeSend(make('👍'.repeat(1024)), TO)
    expect(refusedSend(make('x'.repeat(1025)))).toBe(
      'interactive.body: 1025 characters, at most 1024: send the rest as a text before it',
    )
    expect(refusedSend(make(''))).toContain('interactive.body: 0 characters, at least 1')
  })

  it('has a footer of at most 60 characters [C SEND-06]', () => {
    encodeSend(make('b', 'x'.repeat(60)), TO)
    expect(refusedSend(make('b', 'x'.repeat(61)))).toContain('interactive.footer: 61 characters, at most 60')
  })
})

describe('link', () => {
  it('is an interactive message of type cta_url [C SEND-09]', () => {
    const content = link('Track it here', { title: 'Open', url: 'https://shop.example/7781' }, { footer: 'Asante' })
    expect(wireOf(content, TO)).toEqual({
      to: TO,
      type: 'interactive',
      interactive: {
        type: 'cta_url',
        body: 'Track it here',
        footer: 'Asante',
        cta: { display_text: 'Open', url: 'https://shop.example/7781' },
      },
    })
  })

  it('has a title of 1 to 20 and an http or https address of 1 to 2000 characters [C SEND-09]', () => {
    const url = (length: number) => 'http://shop.example/'.padEnd(length, 'x')
    const refusal = (title: string, url: string) => refusedSend(link('b', { title, url }))
    encodeSend(link('b', { title: 'x'.repeat(20), url: url(2000) }), TO)
    expect(refusal('x'.repeat(21), url(30))).toContain('interactive.cta.display_text: 21 characters, at most 20')
    expect(refusal('', url(30))).toContain('interactive.cta.display_text: 0 characters, at least 1')
    expect(refusal('x', url(2001))).toContain('interactive.cta.url: 2001 characters, at most 2000')
    expect(refusal('x', 'tel:+255712345678')).toContain('interactive.cta.url: not a full http or https address')
    expect(refusal('x', 'shop.example')).toContain('interactive.cta.url: not a full http or https address')
    expect(refused(() => link('b', undefined as never))).toContain('must be { title, url }')
  })
})
