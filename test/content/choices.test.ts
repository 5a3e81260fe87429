import { describe, expect, it } from 'vitest'
import { buttons, link, list, type Option, wireOf } from '../../src/content/index.ts'
import { refused } from './refused.ts'

const TO = '255712345678'
const options = (count: number): Option[] =>
  Array.from({ length: count }, (_, at) => ({ id: `o${at}`, title: `O${at}` }))

describe('buttons', () => {
  it('C SEND-07 are an interactive message of type buttons', () => {
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
    expect(content.ids).toEqual(['track'])
  })

  it('C SEND-07 are at most 3, and at least 1 by assumption', () => {
    buttons('b', options(3))
    expect(refused(() => buttons('b', options(4)))).toBe(
      'buttons(): options must be 1 to 3 buttons, got 4: use list() for up to 10',
    )
    expect(refused(() => buttons('b', []))).toContain('got 0: add one')
  })

  it('C SEND-07 have ids of 1 to 256 and titles of 1 to 20 characters, counted in code points', () => {
    buttons('b', [{ id: 'x'.repeat(256), title: '👍'.repeat(20) }])
    const one = (id: string, title: string) => refused(() => buttons('b', [{ id, title }]))
    expect(one('x'.repeat(257), 't')).toContain('options[0].id must have 1 to 256 characters, got 257')
    expect(one('', 't')).toContain('1 to 256 characters, got 0')
    expect(one('i', 'x'.repeat(21))).toContain('options[0].title must have 1 to 20 characters, got 21')
    expect(one('i', '')).toContain('1 to 20 characters, got 0')
  })

  it('C SEND-10 refuse repeated ids, and say which', () => {
    const twice = [...options(2), { id: 'o0', title: 'Again' }]
    expect(refused(() => buttons('b', twice))).toContain('the id of option 3 repeats that of option 1')
  })

  it('C SEND-07 refuse a description, which a button would lose in silence', () => {
    expect(refused(() => buttons('b', [{ id: 'i', title: 't', description: 'd' }]))).toContain('use list()')
  })

  it('C SEND-06 C GEN-14 refuse a header: the service has none', () => {
    expect(refused(() => buttons('b', options(1), { header: 'h' } as object))).toContain('"header" is not part of it')
  })
})

describe('list', () => {
  it('C SEND-08 of plain rows is one section without a title, and leaves the word View to the service', () => {
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
    expect(content.ids).toEqual(['a', 'b'])
  })

  it('C SEND-08 of an object has a section per member, in its order', () => {
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

  it('C SEND-08 has 1 to 10 rows in total, not per section', () => {
    const rows = options(11)
    list('b', { A: rows.slice(0, 5), B: rows.slice(5, 10) })
    expect(refused(() => list('b', { A: rows.slice(0, 5), B: rows.slice(5) }))).toContain(
      '1 to 10 rows in total, got 11',
    )
    expect(refused(() => list('b', rows))).toContain('got 11')
    expect(refused(() => list('b', []))).toContain('got 0')
    expect(refused(() => list('b', {}))).toContain('got 0')
  })

  it('C SEND-08 refuses a section without rows', () => {
    expect(refused(() => list('b', { A: options(1), B: [] }))).toContain('section 2 must have at least one row')
  })

  it('C SEND-08 keeps its own limits, which are not those of buttons', () => {
    const row = (over: Partial<Option>) => () => list('b', [{ id: 'i', title: 't', ...over }])
    row({ id: 'x'.repeat(200), title: '👍'.repeat(24), description: 'x'.repeat(72) })()
    expect(refused(row({ id: 'x'.repeat(201) }))).toContain('rows[0].id must have 1 to 200 characters, got 201')
    expect(refused(row({ id: '' }))).toContain('1 to 200 characters, got 0')
    expect(refused(row({ title: 'x'.repeat(25) }))).toContain('1 to 24 characters, got 25')
    expect(refused(row({ title: '' }))).toContain('1 to 24 characters, got 0')
    expect(refused(row({ description: 'x'.repeat(73) }))).toContain('at most 72 characters, got 73')
    list('b', { ['x'.repeat(24)]: options(1) }, { button: 'x'.repeat(20) })
    expect(refused(() => list('b', { ['x'.repeat(25)]: options(1) }))).toContain('at most 24 characters, got 25')
    expect(refused(() => list('b', options(1), { button: 'x'.repeat(21) }))).toContain('at most 20 characters, got 21')
  })

  it('C SEND-10 refuses ids that repeat across sections', () => {
    expect(refused(() => list('b', { A: options(2), B: [{ id: 'o1', title: 'x' }] }))).toContain(
      'the id of option 3 repeats that of option 2',
    )
  })

  it('C SEND-08 refuses rows that are none', () => {
    expect(refused(() => list('b', 'rows' as never))).toContain('got string')
    expect(refused(() => list('b', [null] as never))).toContain('rows[0] must be an object { id, title }, got null')
  })
})

describe.each([
  ['buttons()', (body: string, footer?: string) => buttons(body, options(1), { footer })],
  ['list()', (body: string, footer?: string) => list(body, options(1), { footer })],
  ['link()', (body: string, footer?: string) => link(body, { title: 't', url: 'https://shop.example' }, { footer })],
])('every interactive message: %s', (builder, make) => {
  it('C SEND-06 has a text of 1 to 1024 characters, not 4096', () => {
    make('👍'.repeat(1024))
    expect(refused(() => make('x'.repeat(1025)))).toBe(
      `${builder}: the text must have 1 to 1024 characters, got 1025: send a text of its own before it`,
    )
    expect(refused(() => make(''))).toContain('1 to 1024 characters, got 0')
  })

  it('C SEND-06 has a footer of at most 60 characters', () => {
    make('b', 'x'.repeat(60))
    expect(refused(() => make('b', 'x'.repeat(61)))).toContain('footer must have at most 60 characters, got 61')
  })
})
