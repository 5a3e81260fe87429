import { describe, expect, it } from 'vitest'
import { buttons, link, list } from '../../src/service/interactive.ts'
import { wireOf } from '../../src/service/wire.ts'
import type { Option } from '../../src/service/content.ts'
import { refused } from './refused.ts'

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

  it('refuses invalid rows [C SEND-08]', () => {
    expect(refused(() => list('b', 'rows' as never))).toContain('got string')
    expect(refused(() => list('b', [null] as never))).toContain('rows[0] must be an object { id, title }, got null')
  })
})

it('link is an interactive message of type cta_url [C SEND-09]', () => {
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
